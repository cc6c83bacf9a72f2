"""What the reranker learns from, and how it is scored."""
