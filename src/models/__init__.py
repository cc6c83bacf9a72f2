"""Rerankers, verdict models, entailment models and sentence encoders, and the readers of their files."""
