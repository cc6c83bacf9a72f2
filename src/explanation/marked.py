"""An explanation as readers see it: after each sentence the numbers of the evidence it cites."""

from itertools import zip_longest

from src.explanation.records import ExplainedClaim
from src.text import sentences


def marked(claim: ExplainedClaim) -> str:
    """Return the explanation with its citations: `Eels swim. [2]`."""
    parts = zip_longest(sentences(claim.explanation or "(none)"), claim.cites, fillvalue=None)
    return " ".join(f"{part or ''}{''.join(f' [{number}]' for number in cites or ())}" for part, cites in parts)
