"""Metrics: one file each. They know no language model and no step."""
