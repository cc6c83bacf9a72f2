"""Ratings of explanations by people: the page and its server, the file of ratings, their results and agreement."""
