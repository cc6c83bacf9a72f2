"""Predictions from traces: steps as question-answer pairs, and the verdict in either form."""
