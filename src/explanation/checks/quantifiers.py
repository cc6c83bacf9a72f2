"""Words that say all or none, always or never, where neither claim nor evidence does."""

import re
from collections.abc import Iterator

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType

_KINDS = (
    "all every everyone everybody everything each entire entirely whole wholly completely totally everywhere any",
    "none nobody nothing nowhere",
    "always invariably constantly forever",
    "never",
    "only solely exclusively",
    "certainly undoubtedly definitely conclusively proves proved proven guarantees",
    "most mostly majority",
)
_PATTERNS = [re.compile(rf"\b(?:{'|'.join(words.split())})\b", re.IGNORECASE) for words in _KINDS]
_OF_EVIDENCE = re.compile(
    r"\b(?:all|both|each|every|none|any|most)\s+(?:of\s+)?(?:the\s+|these\s+)?(?:\w+\s+)?"
    r"(?:evidence|answers?|sources?|questions?|pairs?|qas?)\b",
    re.IGNORECASE,
)


def wider_quantifiers(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    """One finding for each kind of word that is new; what is said of the evidence itself is no generalisation."""
    plain = _OF_EVIDENCE.sub(lambda found: " " * len(found[0]), sentence)
    for pattern in _PATTERNS:
        found = pattern.search(plain)
        if found is not None and not pattern.search(grounds.text):
            reason = "neither the claim nor its evidence goes so far"
            yield Finding(grounds.claim.claim_id, place, ErrorType.OVERGENERALISATION, found[0], reason)
