"""Brings the NLTK data that the project reads: English sentence ends (punkt_tab) and WordNet 3.0."""
