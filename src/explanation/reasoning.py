"""Justification in the words of the verdict model: the reasoning that it wrote before its verdict."""

import re

from src.explanation.draft import read_draft
from src.explanation.pieces import pieces
from src.explanation.reasons import reasoned
from src.explanation.records import ExplainedClaim, Explanation
from src.explanation.writer import explained
from src.stance.reader import StanceReader

MOST_WORDS = 300  # of a language model's reasoning, whole sentences
_SUBJECT = re.compile(
    r"(^|[.!?]\s+)(?P<lead>(?:In|By|As|But|However,|While)\s+)?(?:(?:piece|evidence)\s+)?\[(?P<number>\d+)\](?=,?\s+(?-i:[a-z]))",
    re.IGNORECASE,
)


def by_reasoning(claim: ExplainedClaim, reasoning: str | None, reader: StanceReader) -> ExplainedClaim:
    """Return the claim with its justification and the numbers of the evidence that each sentence cites.

    `reasoning` is the text of the verdict model. If it is None or has no words, the justification is made from the
    evidence, which `reader` reads (`reasons.py`).
    Raises: ModelError if the reader fails.
    """
    return explained(claim, _explanation(claim, reasoning, reader))


def with_subjects(text: str) -> str:
    """Return the text with a subject wherever a citation is one: `[2] says so.` becomes `Evidence 2 [2] says so.`

    Citations are removed from the sentences that readers see; these sentences would otherwise lose their subject.
    """
    return _SUBJECT.sub(_named, text)


def _named(found: re.Match[str]) -> str:
    number, lead = found["number"], found["lead"]
    return f"{found[1]}{f'{lead}evidence' if lead else 'Evidence'} {number} [{number}]"


def _explanation(claim: ExplainedClaim, reasoning: str | None, reader: StanceReader) -> Explanation:
    if reasoning:
        written = read_draft(with_subjects(reasoning), pieces(claim), MOST_WORDS).explanation
        if written.sentences:
            return written
    return reasoned(claim, reader)
