"""Verdicts of a judge on facts, and what follows from them for one claim.

    precision = supported predicted facts / predicted facts
    recall    = supported reference facts / reference facts

A predicted fact is judged against the reference evidence, and a reference fact against the predicted evidence. Facts
are counted from the lists; the counts that a judge writes itself are kept and compared.

Akhtar, Schlichtkrull and Vlachos, "Ev2R: Evaluating Evidence Retrieval in Automated Fact-Checking", TACL 14, 2026.
"""

from collections.abc import Sequence
from enum import StrEnum

import msgspec

from src.records import ClaimId, Verdict


class FactVerdict(StrEnum):
    """What the other side's evidence says about a fact."""

    SUPPORTED = "supported"
    NOT_ENOUGH = "not enough information"
    CONTRADICTED = "contradicted"


class JudgedFact(msgspec.Struct, frozen=True):
    """A fact or question, and the verdict on it."""

    fact: str
    verdict: FactVerdict


class WrittenCounts(msgspec.Struct, frozen=True):
    """Counts of facts that a judge wrote itself; None: it wrote none, or no whole number."""

    predicted: int | None = None
    predicted_supported: int | None = None
    reference: int | None = None
    reference_supported: int | None = None


class Judged(msgspec.Struct, frozen=True, omit_defaults=True):
    """Judged questions or facts of both sides of a claim.

    `counts`: counts that the judge wrote beside its lists.
    """

    predicted: list[JudgedFact]
    reference: list[JudgedFact]
    counts: WrittenCounts = WrittenCounts()

    @property
    def precision(self) -> float:
        """Return the share of predicted facts that are supported; 0 if there are none."""
        return _supported_share(self.predicted)

    @property
    def recall(self) -> float:
        """Return the share of reference facts that are supported; 0 if there are none."""
        return _supported_share(self.reference)

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall; 0 if both are 0."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0

    @property
    def counts_differ(self) -> bool:
        """Return True if a count that the judge wrote is not the count of its list."""
        counted = (
            len(self.predicted),
            supported(self.predicted),
            len(self.reference),
            supported(self.reference),
        )
        return any(
            theirs not in (None, ours)
            for theirs, ours in zip(msgspec.structs.astuple(self.counts), counted, strict=True)
        )


def supported(facts: Sequence[JudgedFact]) -> int:
    """Return the number of facts that are supported."""
    return sum(fact.verdict is FactVerdict.SUPPORTED for fact in facts)


def _supported_share(facts: Sequence[JudgedFact]) -> float:
    return supported(facts) / len(facts) if facts else 0.0


class Status(StrEnum):
    """How the judging of a claim ended.

    `SCORED`: every answer of the judge can be used.
    `UNPARSEABLE`: an answer could not be read, nor the one to a second request.
    `CALL_FAILED`: a request got no answer.
    """

    SCORED = "scored"
    UNPARSEABLE = "unparseable"
    CALL_FAILED = "call_failed"


class ClaimJudgment(msgspec.Struct, frozen=True, omit_defaults=True):
    """Result of judging the evidence of one claim.

    `questions`: None if the prediction has no separate questions, or if the claim is not scored.
    `evidence`: None if the claim is not scored, or only questions were judged.
    `reason`: why the claim is not scored.
    `second_requests`: number of answers that could not be read and were requested again.
    `no_evidence`: nothing was predicted, so no judge was asked.
    `lists_differ`: the judge listed more or fewer questions than there are.
    """

    claim_id: ClaimId
    status: Status
    questions: Judged | None = None
    evidence: Judged | None = None
    reason: str = ""
    second_requests: int = 0
    no_evidence: bool = False
    lists_differ: bool = False


class JudgedClaim(msgspec.Struct, frozen=True, omit_defaults=True):
    """Judgment of a claim with its labels.

    `guessed`: predicted verdict; None if there is none.
    `baseline`: judgment of the claim as the only question; None if it was not requested.
    """

    claim_id: ClaimId
    label: Verdict
    guessed: Verdict | None
    judgment: ClaimJudgment
    baseline: ClaimJudgment | None = None

    @property
    def is_scored(self) -> bool:
        return self.judgment.status is Status.SCORED
