"""Training of the entailment model: examples and scores."""
