"""Verdicts by one call for each claim: a language model writes evidence, reasons and ratings in one reply (AIC)."""
