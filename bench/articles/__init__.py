"""How well the rules of `src.check.article` find the claims of a text, and make them readable alone.

Read in this order: halves, worthiness, readable, __main__.
"""
