"""Search in a corpus of titled paragraphs, which is indexed once."""
