"""An explanation for people: each sentence with the numbers of what it rests on behind it."""

from itertools import zip_longest

from src.explanation.records import ExplainedClaim
from src.text import sentences


def marked(claim: ExplainedClaim) -> str:
    """`Eels swim. [2]`"""
    parts = zip_longest(sentences(claim.explanation or "(none)"), claim.cites, fillvalue=None)
    return " ".join(f"{part or ''}{''.join(f' [{number}]' for number in cites or ())}" for part, cites in parts)
