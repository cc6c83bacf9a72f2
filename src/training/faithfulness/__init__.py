"""Training of a tagger that finds unfaithful words of explanations, on planted errors."""
