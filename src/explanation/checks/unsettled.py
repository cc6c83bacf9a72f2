"""Sentences which say that the evidence does not settle the claim, or that no evidence was found."""

import re

from src.explanation.checks.conclusions import sides
from src.explanation.checks.said_of_claim import UNKNOWN

_KNOWN = r"(?:verified|confirmed|determined|established|proven|proved|settled|known|answered|found|checked|said)"
_SOUGHT = r"(?:evidence|proof|sources?|answers?|records?)"  # "no body was found" may refute a claim
_WAS = r"(?:was|were|is|are|ha(?:s|ve)\s+been|c(?:ould|an)\s+be)"
_OPEN = re.compile(
    r"\b(?:do|does|did|can|could|will|would)\s*(?:not|n['\u2019]t)\s+(?:settle|decide|answer|bear\s+on|address)\b"
    r"|\b(?:not\s+enough|insufficient|too\s+little|inconclusive)\s+(?:\w+\s+)?(?:evidence|information|data|details?)\b"
    rf"|\bno\s+(?:\w+\s+){{0,3}}{_SOUGHT}\s+(?:\w+\s+){{0,4}}{_WAS}\s+found\b"
    rf"|\bnothing\s+{_WAS}\s+found\s+(?:that|to|on|about)\b"
    r"|\bnothing\s+that\s+was\s+found\b|\binconclusive\b|\bno\s+answers?\b"
    rf"|\b(?:can(?:\s?not|['\u2019]t)|could\s+not|couldn['\u2019]t|not\s+possible\s+to)\s+be\s+{_KNOWN}\b"
    r"|\b(?:unable|impossible|not\s+possible)\s+to\s+(?:say|tell|know|verify|confirm|determine|establish)\b",
    re.IGNORECASE,
)


def is_unsettled(text: str) -> bool:
    """Return True if the text plainly says that the evidence does not settle the claim.

    Limitations: lexical only; a statement about a part of the claim counts for the whole claim.
    """
    return bool(_OPEN.search(text)) or UNKNOWN in sides(text)
