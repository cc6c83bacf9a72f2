"""Fact-checking of real-world claims with evidence from the web: one package a stage, one module a step."""

__version__ = "0.1.0"
