"""Retrieval from the web: search for URLs, download of pages, text extraction, and sentences for a knowledge store."""
