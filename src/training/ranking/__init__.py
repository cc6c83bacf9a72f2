"""Training of the reranker: examples and scores."""
