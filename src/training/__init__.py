"""Small models trained on AVeriTeC: question writer, reranker, verdicts. What the three share, and their steps."""
