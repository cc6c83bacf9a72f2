"""From a knowledge store to the evidence: BM25 over its sentences, question-answer pairs, the best of them."""
