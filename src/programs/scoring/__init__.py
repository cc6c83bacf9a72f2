"""Traces against gold labels and gold pages: one metric a file. No language model is known here."""
