"""Fact-checking of real-world claims with evidence from the web: one package per stage, one module per step."""

__version__ = "0.1.0"
