"""Hybrid retriever: BM25 and vectors, weighted and diversified; each sentence has the reason why it was chosen."""
