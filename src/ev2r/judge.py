"""What a judge of evidence is, and claims that need none."""

from collections.abc import Sequence
from typing import Protocol

from src.errors import ModelError
from src.ev2r.records import ClaimJudgment, FactVerdict, Judged, JudgedFact, Status
from src.ev2r.texts import ClaimTexts
from src.llm.protocol import ModelInfo


class EvidenceJudge(Protocol):
    """A loaded judge.

    `info`: description of its model.
    `prompt_sha256`: hash of its prompts, or of its thresholds if it reads no prompt.
    `at_once`: number of claims that it should get together.
    """

    info: ModelInfo
    prompt_sha256: str
    at_once: int

    def judge(self, claims: Sequence[ClaimTexts], *, only_questions: bool = False) -> list[ClaimJudgment]:
        """Return the judgment of each claim, in order; all have predicted pairs.

        `only_questions`: do not judge the evidence.

        Raises ModelError when all fail together, FatalError when the judge cannot go on.
        """
        ...


def judgments(
    judge: EvidenceJudge, claims: Sequence[ClaimTexts], *, only_questions: bool = False
) -> list[ClaimJudgment]:
    """Return the judgment of each claim, in order.

    A claim without predicted evidence is judged by rule: no gold question and no gold pair is supported. If the claims
    fail together, each is judged alone. Raises FatalError.
    """
    judged = iter(_judged(judge, [claim for claim in claims if claim.predicted], only_questions))
    return [next(judged) if claim.predicted else without_evidence(claim) for claim in claims]


def _judged(judge: EvidenceJudge, claims: Sequence[ClaimTexts], only_questions: bool) -> list[ClaimJudgment]:
    if not claims:
        return []
    try:
        return judge.judge(claims, only_questions=only_questions)
    except ModelError as error:
        if len(claims) == 1:
            return [ClaimJudgment(claims[0].claim_id, Status.CALL_FAILED, reason=str(error))]
        return [one for claim in claims for one in _judged(judge, [claim], only_questions)]


def without_evidence(claim: ClaimTexts) -> ClaimJudgment:
    """Return the judgment of a claim that has no predicted evidence: recall is 0."""
    return ClaimJudgment(
        claim.claim_id,
        Status.SCORED,
        questions=_unsupported(claim.reference_questions) if claim.has_questions else None,
        evidence=_unsupported([pair.text for pair in claim.reference]),
        no_evidence=True,
    )


def _unsupported(texts: Sequence[str]) -> Judged:
    return Judged([], [JudgedFact(text, FactVerdict.NOT_ENOUGH) for text in texts])
