"""Which rows of public sets are about numbers, negation, time or health, whatever set they are of.

Limitations: by words of the claim alone, but for health, which is that of the sets. A row may be of several topics.
"""

import re
from collections.abc import Callable

from src.reranking.hybrid.retrieval import denies
from src.training.entailment.pack import PackRow

_NUMBER = re.compile(
    r"\d|%|\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?|billions?"
    r"|half|third|quarter|doubled?|twice|tripled?|majority|percent|more than|fewer than|less than|at least)\b",
    re.IGNORECASE,
)
_TIME = re.compile(
    r"\b(?:1[5-9]\d\d|20[0-3]\d|(?:Jan|Febr)uary|March|April|June|July|August|(?:Sept|Nov|Dec)ember|October"
    r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?i:before|after|since|until|during|(?:day|week|month|year|decade)s?"
    r"|centur(?:y|ies)|yesterday|today|ago))\b"
)
_HEALTH = frozenset({"check_covid", "citation_integrity", "covid_fact", "healthver", "nli4ct", "nli4ct_2024"})


TOPICS: dict[str, Callable[[str, PackRow], bool]] = {
    "numbers": lambda _, row: _NUMBER.search(row.claim) is not None,
    "negation": lambda _, row: denies(row.claim),
    "time": lambda _, row: _TIME.search(row.claim) is not None,
    "health": lambda name, _: name in _HEALTH,
}
"""Whether a row of a set, by the set's name, is about a topic."""
