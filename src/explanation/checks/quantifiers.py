"""Check for words without exception, such as all or never, if neither the claim nor its evidence has one of
their kind.
"""

import re
from collections.abc import Iterator
from functools import lru_cache

from src.explanation.checks.grounds import Grounds
from src.explanation.records import Finding
from src.explanation.typology import ErrorType

_KINDS = (
    r"all|every|everyone|everybody|everything|each|entire|entirely|whole|wholly|completely|totally|any|anyone|"
    r"anybody|100\s?%|hundred per ?cent",
    r"every ?where|anywhere|worldwide|the (?:whole |entire )?world|universal(?:ly)?|globally|on earth|across the board",
    r"none|nobody|no one|no-one|nothing|nowhere|not a single|not one|no exceptions?",
    r"always|invariably|constantly|forever|for ever|eternally|at all times|every time|on every occasion|"
    r"in (?:all|every|each|any) (?:\w+ )?(?:case|circumstance|instance|situation|condition)s?|"
    r"under (?:all|any|every) (?:\w+ )?(?:circumstance|condition)s?|without (?:any )?(?:exceptions?|fail)",
    r"never|at no (?:time|point)|not once",
    r"solely|exclusively|purely",
    r"certainly|undoubtedly|undeniabl[ey]|indisputabl[ey]|unquestionabl[ey]|definitely|conclusively|inevitabl[ey]|"
    r"absolutely|proves|proved|proven|guarantees|guaranteed|beyond (?:\w+ )?(?:doubt|question|dispute)|"
    r"no (?:doubt|question) that|it is (?:certain|clear to everyone)|necessarily",
    r"most|majority",
)
_PATTERNS = [re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.IGNORECASE) for words in _KINDS]
_OF_EVIDENCE = re.compile(
    r"\b(?:all|both|each|every|none|any|most|only)\s+(?:of\s+)?(?:the\s+|these\s+)?(?:\w+\s+)?"
    r"(?:(?:evidence|answers?|sources?|questions?|pairs?|qas?|information|links?)\b|\s{3})"
    r"|(?:(?:sources|answers|pairs)\s+|\s{4})all\b",
    re.IGNORECASE,
)


@lru_cache(64)
def _of_source(text: str) -> frozenset[re.Pattern[str]]:
    """Return the kinds of such words in the text, cached for all sentences of an explanation."""
    return frozenset(pattern for pattern in _PATTERNS if pattern.search(text))


def wider_quantifiers(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    """Yield one finding for each kind of word that is new; statements about the evidence itself are not checked."""
    plain = _OF_EVIDENCE.sub(lambda found: " " * len(found[0]), sentence)
    for pattern in _PATTERNS:
        found = pattern.search(plain)
        if found is not None and pattern not in _of_source(grounds.text):
            reason = "neither the claim nor its evidence goes so far"
            yield Finding(grounds.claim.claim_id, place, ErrorType.OVERGENERALISATION, found[0], reason)
