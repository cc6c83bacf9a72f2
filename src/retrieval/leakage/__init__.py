"""What may not be evidence for a claim, since it gives the verdict away or is not wanted: by URL and by date."""
