"""Our own retriever: BM25 and vectors, weighed and diversified; each choice with its reason."""
