"""A tagger that tells which words of an explanation are unfaithful, learned from errors that are planted."""
