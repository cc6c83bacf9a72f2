"""People rate explanations: the page and its server, the file of ratings, what they say and how far they agree."""
