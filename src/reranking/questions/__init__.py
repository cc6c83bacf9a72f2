"""Generation of the question that each sentence answers: examples, prompt, recipes, choice, and the writer."""
