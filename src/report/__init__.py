"""Reports for readers: the report of a run, the page of a claim, and the server that checks claims."""
