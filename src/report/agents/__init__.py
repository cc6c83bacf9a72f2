"""Checks for other programs' language models, as tools of the Model Context Protocol."""
