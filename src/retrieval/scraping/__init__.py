"""Scraping of URL rows into one knowledge-store file a claim: queue of URLs, journal of finished rows, outputs."""
