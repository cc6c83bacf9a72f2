"""Filters of pages that may not be evidence for a claim: they reveal the verdict or are excluded, by URL or by date."""
