"""What a judge of evidence is, and claims that need none."""

from collections.abc import Sequence
from typing import Protocol

from src.ev2r.records import ClaimJudgment, FactVerdict, Judged, JudgedFact, Status
from src.ev2r.texts import ClaimTexts
from src.llm.protocol import ModelInfo


class EvidenceJudge(Protocol):
    """A loaded judge.

    `info`: description of its model.
    `prompt_sha256`: hash of its prompts; "" if it reads no prompt.
    `at_once`: number of claims that it should get together.
    """

    info: ModelInfo
    prompt_sha256: str
    at_once: int

    def judge(self, claims: Sequence[ClaimTexts]) -> list[ClaimJudgment]:
        """Return the judgment of each claim, in order; all have predicted pairs. Raises FatalError."""
        ...


def judgments(judge: EvidenceJudge, claims: Sequence[ClaimTexts]) -> list[ClaimJudgment]:
    """Return the judgment of each claim, in order.

    A claim without predicted evidence is judged by rule: no gold question and no gold pair is supported. Raises
    FatalError.
    """
    shown = [claim for claim in claims if claim.predicted]
    by_id = {one.claim_id: one for one in (judge.judge(shown) if shown else [])}
    return [by_id.get(claim.claim_id) or without_evidence(claim) for claim in claims]


def without_evidence(claim: ClaimTexts) -> ClaimJudgment:
    """Return the judgment of a claim that has no predicted evidence: recall is 0."""
    return ClaimJudgment(
        claim.claim_id,
        Status.SCORED,
        questions=_unsupported(claim.reference_questions) if claim.has_questions else None,
        evidence=_unsupported([pair.text for pair in claim.reference]),
    )


def _unsupported(texts: Sequence[str]) -> Judged:
    return Judged([], [JudgedFact(text, FactVerdict.NOT_ENOUGH) for text in texts])
