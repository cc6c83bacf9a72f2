"""How a language model writes programs: examples that it follows, a grammar that holds it, faults that are named."""
