"""Training of the question writer: examples and scores."""
