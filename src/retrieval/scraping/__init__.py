"""Rows of URLs in, one knowledge-store file a claim out: what to fetch next, what is done, what is kept."""
