"""What the question writer learns from, and how it is scored."""
