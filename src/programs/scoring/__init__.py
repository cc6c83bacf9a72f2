"""Scores of traces against gold labels and gold pages, without any language model."""
