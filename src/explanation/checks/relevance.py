"""Check for sentences that share almost no words with the claim and its evidence.

Limitations: lexical only; short sentences and sentences about the evidence itself are not checked.
"""

import re
from collections.abc import Iterator

from src.explanation.checks.grounds import Grounds
from src.explanation.checks.references import without_references
from src.explanation.records import Finding
from src.explanation.typology import ErrorType
from src.reranking.hybrid.own_words import own_words

FEWEST = 5  # fewest different content words of a sentence that is checked
SHARED = 0.25  # smallest share of them in claim or evidence
_OF_TASK = re.compile(
    r"\s{3}|\b(?:claim|evidence|answers?|questions?|pairs?|sources?|qas?|q&as?|label|supported|refuted|refutes?|statement|"
    r"information|fact[- ]check\w*|article|conflicting|confirms?|true|false|image|post|video)\b",
    re.IGNORECASE,
)


def speaks_of_task(text: str) -> bool:
    """Return True if the text mentions the claim, its verdict or the evidence as such."""
    return bool(_OF_TASK.search(without_references(text)))


def irrelevant(sentence: str, place: int, grounds: Grounds) -> Iterator[Finding]:
    if _OF_TASK.search(sentence):
        return
    words = set(own_words(sentence))
    if len(words) >= FEWEST and len(words & grounds.words) < SHARED * len(words):
        reason = "it shares next to nothing with the claim and its evidence"
        yield Finding(grounds.claim.claim_id, place, ErrorType.IRRELEVANT_EVIDENCE, sentence.strip(), reason)
