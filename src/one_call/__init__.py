"""One call a claim: questions, answers, justification and ratings of the labels, all in one reply (AIC, HerO 2)."""
