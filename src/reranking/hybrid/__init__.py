"""Hybrid retriever: BM25 and sentence vectors are combined, and the hits diversified.

Each sentence has the reason why it was chosen.
"""
