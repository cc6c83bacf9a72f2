"""A collection of titled paragraphs: indexed once, asked many times."""
