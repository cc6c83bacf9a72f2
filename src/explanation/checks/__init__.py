"""Faithfulness checks without a language model; each compares one sentence with the claim and its evidence."""
