"""Claims in a longer text: check-worthy sentences are found, made readable alone, and checked one by one.

Read in this order: worthiness, mentions, antecedents, decontextualize, reported, claims_of_article, given_pages,
check_article, listing.
"""
