"""Installer of the NLTK data that the project reads: punkt_tab (English), stop words and WordNet 3.0."""
