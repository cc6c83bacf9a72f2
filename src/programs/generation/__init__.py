"""Generation of programs by a language model, with demonstrations, a grammar and rounds of repair."""
