"""Evidence from a knowledge store: retrieve sentences, write question-answer pairs, keep the best pairs."""
