"""Justifications none of whose sentences bears on the claim: true, copied perhaps, and no reason for the verdict.

An entailment model reads the sentences, each alone and all together, as premise and the claim as hypothesis. How much
they bear is one less the smallest probability of "neutral". Before each sentence stands the question of the nearest
piece of evidence: justifications are often answers that make sense with their question alone.

Limitations: one that only points at its evidence (`the second answer shows it`) is not read, nor one of Not Enough
Evidence, nor one which says that the evidence does not settle the claim. A sentence that bears on a part of the claim
is enough.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from src.explanation.checks.grounds import Grounds
from src.explanation.checks.references import without_references
from src.explanation.checks.said_of_claim import said_of_claim
from src.explanation.checks.unsettled import is_unsettled
from src.explanation.labels import CONCLUSIONS
from src.explanation.pieces import nearest_piece
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.models.entailment import Entailed, Passage, Premise
from src.records import Verdict
from src.reranking.hybrid.own_words import own_words
from src.text import sentences

BEARS = 0.7  # chosen on held-out claims of AVeriTeC's train (`bench/bearing.py`)
FEWEST = 3  # different words that a justification must have besides its verdict to be read
MOST = 10  # sentences that are read together, as many passages as the model reads
_POINTS = re.compile(
    r"\s{3}|\b(?:claim(?:s|ed|ant)?|evidence|answers?|questions?|pairs?|sources?|qas?|q&as?|q/a|label|verdict|statement"
    r"|refuted|supported)\b",
    re.IGNORECASE,
)
_CONCLUSIONS = re.compile("|".join(rf"[;,.]?\s*{re.escape(one)}" for one in {*CONCLUSIONS.values()}), re.IGNORECASE)


class Reads(Protocol):
    """An entailment model."""

    def scores(self, asked: Sequence[Premise]) -> list[Entailed]: ...


class Bearing:
    """Finds justifications that do not bear on their claim with at least `least`."""

    def __init__(self, model: Reads, least: float = BEARS) -> None:
        self._model, self._least = model, least

    def check(self, claims: Sequence[ExplainedClaim]) -> list[Finding | None]:
        """Return the finding of each claim, of its first sentence; None where there is none. Raises ModelError."""
        found = zip(claims, self.measures(claims), strict=True)
        return [_finding(one) if bears is not None and bears < self._least else None for one, bears in found]

    def measures(self, claims: Sequence[ExplainedClaim]) -> list[float | None]:
        """Return how much each justification bears on its claim, from 0 to 1; None where it is not read.

        Raises ModelError.
        """
        asked = [list(_premises(one, reasons(one))) for one in claims]
        scores = iter(self._model.scores([one for each in asked for one in each]) if any(asked) else [])
        return [max((1 - next(scores).neutral for _ in each), default=None) for each in asked]


def reasons(claim: ExplainedClaim) -> list[str]:
    """Return the sentences that are to carry the verdict, without the verdict; none where nothing is read."""
    if claim.label == Verdict.NOT_ENOUGH_EVIDENCE:
        return []
    grounds = Grounds.of(claim)
    found = []
    for sentence in sentences(" ".join((claim.explanation or "").split())):
        plain = _without_verdict(sentence)
        if not grounds.tells(sentence) and (is_unsettled(sentence) or _POINTS.search(without_references(plain))):
            return []
        found.append(plain)
    words = {word for one in found for word in own_words(one)}
    return [one for one in found if own_words(one)] if len(words) >= FEWEST else []


def _without_verdict(sentence: str) -> str:
    for said in said_of_claim(sentence):
        sentence = sentence.replace(said.span, " ")
    return _CONCLUSIONS.sub("", sentence).strip(" ;,")


def _premises(claim: ExplainedClaim, said: Sequence[str]) -> Iterator[Premise]:
    pieces = Grounds.of(claim).pieces
    read: list[Passage] = []
    for one in said:
        numbers = nearest_piece(one, pieces)
        read.append((pieces[numbers[0] - 1].question if numbers else "", one))
    yield from (Premise([one], claim.claim) for one in read)
    if len(read) > 1:
        yield Premise(read[:MOST], claim.claim)


def _finding(claim: ExplainedClaim) -> Finding:
    first = sentences(claim.explanation or "")[0]
    reason = "no sentence of the justification entails or contradicts the claim"
    return Finding(claim.claim_id, 0, ErrorType.NO_BEARING, first, reason)
