"""What people look at: the report of a run, the page of a claim, and the server that checks claims for them."""
