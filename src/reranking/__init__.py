"""Evidence from a knowledge store: retrieve sentences, write question-answer pairs, select the best pairs."""
