"""From a claim to URLs: its queries, the search, and the files that are written."""
