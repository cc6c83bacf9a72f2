"""Pairs of examples that differ in one word or figure, which a model must read to distinguish them."""
