"""Pairs of examples that differ in one word or figure, so that a model has to read it."""
