"""Metrics, one per file; they depend on no language model and on no step."""
