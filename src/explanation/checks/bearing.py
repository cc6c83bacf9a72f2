"""Check for justifications that do not bear on the claim: true and perhaps copied, but no reason for the verdict.

An entailment model (`src/models/entailment.py`) gets the sentences as premise, each alone and all together, and the
claim as hypothesis. The bearing is 1 minus the smallest probability of "neutral". Each sentence is preceded by the
question of the nearest piece of evidence, because many justifications are answers that need their question.

The check also finds justifications that support only the opposite of their verdict, if that is Supported or Refuted. In
this case some premise has at least the probability `OTHER_SIDE` for the opposite verdict, and every premise has less
than `OWN_SIDE` for the verdict itself.

A sentence that only refers to the claim or its evidence (`the second answer shows it`) is read with the others, not
alone. Lead-ins (`Against it:`) are left out.

Limitations: three kinds of justifications are not read. They only refer to claim or evidence, or their verdict is Not
Enough Evidence, or they say that the evidence does not decide the claim. A sentence that bears on a part of the claim
is enough. `OTHER_SIDE` and `OWN_SIDE` are set by hand.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Protocol

from src.explanation.checks.grounds import Grounds, without_references
from src.explanation.checks.verdicts import is_unsettled, statements
from src.explanation.labels import CONCLUSIONS
from src.explanation.pieces import nearest_piece
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.typology import ErrorType
from src.models.entailment import Entailed, Premise, TitledText
from src.records import Side, Verdict
from src.reranking.hybrid.own_words import own_words
from src.stance.records import SIDE_OF
from src.text import sentences

BEARS = 0.53  # chosen on held-out claims of AVeriTeC's train (`bench/bearing.py`)
OTHER_SIDE = 0.9  # smallest probability of a premise that is plainly for the opposite verdict
OWN_SIDE = 0.3  # smallest probability of a premise that may be for the verdict
FEWEST = 3  # fewest different words of a justification, without its verdict, that is read
MOST = 10  # most sentences that are read together: as many passages as the model reads
_POINTS = re.compile(
    r"\s{3}|\b(?:claim(?:s|ed|ant)?|evidence|answers?|questions?|pairs?|sources?|qas?|q&as?|q/a|label|verdict|statement"
    r"|refuted|supported)\b",
    re.IGNORECASE,
)
_LEAD_IN = re.compile(r"^(?:for the claim|against it|against the claim|for it):\s*", re.IGNORECASE)
_CONCLUSIONS = re.compile("|".join(rf"[;,.]?\s*{re.escape(one)}" for one in {*CONCLUSIONS.values()}), re.IGNORECASE)


class Reads(Protocol):
    """Interface of an entailment model.

    `scores` returns, for each premise, the probabilities that it entails its hypothesis, contradicts it, or does
    neither.
    """

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]: ...


class Bearing:
    """Check that finds justifications that give no reason for the verdict.

    Their bearing on the claim (see the module's docstring) is less than `least`, or they support only the opposite
    verdict.
    """

    def __init__(self, model: Reads, least: float = BEARS) -> None:
        self._model, self._least = model, least

    def check(self, claims: Sequence[ExplainedClaim]) -> list[Finding | None]:
        """Return one finding or None for each claim; a finding refers to the first sentence of the justification.

        Raises ModelError if the model fails.
        """
        return [self._finding_of(one, read) for one, read in zip(claims, self._read(claims), strict=True)]

    def measures(self, claims: Sequence[ExplainedClaim]) -> list[float | None]:
        """Return the bearing of each justification on its claim, from 0 to 1.

        None for a justification of one sentence that only refers to the claim or to evidence by number.

        Raises ModelError if the model fails.
        """
        return [_bears(read) if read else None for read in self._read(claims)]

    def _read(self, claims: Sequence[ExplainedClaim]) -> list[list[Entailed]]:
        premises = [list(_premises(one)) for one in claims]
        scores = iter(self._model.scores([one for each in premises for one in each]) if any(premises) else [])
        return [[next(scores) for _ in each] for each in premises]

    def _finding_of(self, claim: ExplainedClaim, read: Sequence[Entailed]) -> Finding | None:
        if read and _bears(read) < self._least:
            return _finding(claim, "no sentence of the justification entails or contradicts the claim")
        if read and _is_on_other_side(read, claim.label):
            return _finding(claim, f"the justification is on the other side than the verdict, {claim.label}")
        return None


def _bears(read: Sequence[Entailed]) -> float:
    return max(1 - one.neutral for one in read)


def _is_on_other_side(read: Sequence[Entailed], label: str) -> bool:
    """Return True if the premises support only the opposite of the label; False for labels other than Supported and
    Refuted.
    """
    if label not in SIDE_OF:
        return False
    entail, contradict = max(one.entail for one in read), max(one.contradict for one in read)
    own, other = (entail, contradict) if SIDE_OF[Verdict(label)] is Side.FOR else (contradict, entail)
    return own < OWN_SIDE and other >= OTHER_SIDE


def reasons(claim: ExplainedClaim) -> list[str]:
    """Return the sentences of the justification that should support the verdict, without the verdict itself; empty if
    the justification is not checked.
    """
    return [text for text, points in _sentences(claim) if not points]


def _sentences(claim: ExplainedClaim) -> list[tuple[str, bool]]:
    """Return the sentences of the justification that have content words, each with True if it only refers to the claim
    or evidence. The list is empty if the justification is not checked.
    """
    if claim.label == Verdict.NOT_ENOUGH_EVIDENCE:
        return []
    grounds = Grounds.of(claim)
    pairs: list[tuple[str, bool]] = []
    for one in sentences(" ".join((claim.explanation or "").split())):
        sentence = _LEAD_IN.sub("", one)
        plain = _without_verdict(sentence)
        is_copied = grounds.has_sentence(sentence)
        if not is_copied and is_unsettled(sentence):
            return []
        points = not is_copied and _POINTS.search(without_references(plain)) is not None
        if own_words(plain):
            pairs.append((plain, points))
    words = {word for text, points in pairs if not points for word in own_words(text)}
    return pairs if len(words) >= FEWEST else []


def _without_verdict(sentence: str) -> str:
    for statement in statements(sentence):
        sentence = sentence.replace(statement.span, " ")
    return _CONCLUSIONS.sub("", sentence).strip(" ;,")


def _premises(claim: ExplainedClaim) -> Iterator[Premise]:
    """Yield the premises: each sentence that does not only refer to claim or evidence, then all sentences together."""
    pieces = Grounds.of(claim).pieces
    read: list[TitledText] = []
    for text, points in _sentences(claim):
        numbers = nearest_piece(text, pieces)
        read.append((pieces[numbers[0] - 1].question if numbers else "", text))
        if not points:
            yield Premise([read[-1]], claim.claim)
    if len(read) > 1:
        yield Premise(read[:MOST], claim.claim)


def _finding(claim: ExplainedClaim, reason: str) -> Finding:
    first = sentences(claim.explanation or "")[0]
    return Finding(claim.claim_id, 0, ErrorType.NO_BEARING, first, reason)
