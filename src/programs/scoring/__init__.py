"""Scores of traces against gold labels and gold pages: one metric a file, without any language model."""
