"""Collection of titled paragraphs: indexed once, searched many times."""
