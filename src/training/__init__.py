"""Training of small models on AVeriTeC (question writer, reranker, verdicts, entailment, faithfulness): the steps and
their shared parts."""
