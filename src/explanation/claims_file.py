"""Readers of claims to explain.

A file has lines of `src.explanation.generate_explanations`, predictions of `src.prediction.veracity_prediction`, or
claims of AVeriTeC. For claims of AVeriTeC, the gold questions are the evidence and the gold justification is the
explanation.

Limitations: a gold justification may be unfaithful to its evidence. Annotators knew more than they wrote down.
"""

from pathlib import Path

import msgspec

from src.errors import InputError
from src.evaluation.averitec import gold_pairs
from src.explanation.labels import CONCLUSIONS
from src.explanation.records import ExplainedClaim
from src.records import Claim, ClaimId, Level, NonBlank, QAPair, Question
from src.store import located, read_bytes, read_claims, refuse_doubles


def gold_explanations(path: Path) -> list[ExplainedClaim]:
    """Return the claims that have a gold justification, in file order.

    Raises InputError with file, line and field if the file is invalid.
    """
    return [one for one in map(gold_explanation, read_claims(path)) if one is not None]


def gold_explanation(claim: Claim) -> ExplainedClaim | None:
    """Return the claim with its gold justification; None if it has no label or no justification."""
    text = " ".join((claim.justification or "").split())
    if claim.label is None or not text:
        return None
    date, speaker = claim.claim_date or "", claim.speaker or ""
    return ExplainedClaim(claim.claim_id, claim.claim, claim.label, gold_evidence(claim), "", date, speaker, text)


def gold_evidence(claim: Claim) -> list[QAPair]:
    """Return a question-answer pair for each answer of the claim's gold questions."""
    return [QAPair(question, answer) for question, answer in gold_pairs(claim)]


MADE_BY = "src.explanation.generate_explanations or src.explanation.refine_explanations"


class _Line(msgspec.Struct):
    claim: NonBlank
    claim_id: ClaimId | None = None
    label: str | None = None
    pred_label: str | None = None
    evidence: list[QAPair] = []
    source: str = ""
    questions: list[Question] = []
    claim_date: str | None = None
    speaker: str | None = None
    explanation: str | None = None
    cites: list[list[int]] = []
    justification: str | None = None
    level: Level | None = None


def read_claims_to_explain(path: Path) -> list[ExplainedClaim]:
    """Return the claims of a file in their order; a claim without a claim_id gets its index (from 0) in the file.

    Raises InputError with file, line and field if the file is invalid.
    """
    return [claim for _, claim in _read(path)]


def justified_only(path: Path) -> set[int]:
    """Return the claim_ids of the claims whose explanation is taken from the field `justification`.

    Raises InputError with file, line and field if the file is invalid.
    """
    return {
        claim.claim_id for line, claim in _read(path) if line.explanation is None and (line.justification or "").strip()
    }


def _read(path: Path) -> list[tuple[_Line, ExplainedClaim]]:
    lines = list(located(read_bytes(path), _Line, path))
    claims = [_claim(place, one, path, line) for place, (line, one) in enumerate(lines)]
    refuse_doubles([(line, claim.claim_id) for (line, _), claim in zip(lines, claims, strict=True)], path)
    return [(one, claim) for (_, one), claim in zip(lines, claims, strict=True)]


def _claim(place: int, one: _Line, path: Path, line: int) -> ExplainedClaim:
    label, field = (one.label, "label") if one.label is not None else (one.pred_label, "pred_label")
    if label is None:
        raise InputError("missing", path=path, line=line, field="label")
    if label not in CONCLUSIONS:
        raise InputError(f"{label!r} is none of {', '.join(CONCLUSIONS)}", path=path, line=line, field=field)
    written = one.explanation if one.explanation is not None else one.justification
    claim_id = place if one.claim_id is None else one.claim_id
    date, speaker = one.claim_date or "", one.speaker or ""
    evidence = _evidence(one, path, line)
    return ExplainedClaim(
        claim_id, one.claim, label, evidence, one.source, date, speaker, written, one.cites, level=one.level
    )


def _evidence(one: _Line, path: Path, line: int) -> list[QAPair]:
    first, *others = [name for name in ("evidence", "questions", "source") if getattr(one, name)] or ["evidence"]
    if others:
        message = f"is given as well as {first}; only one of them can be explained"
        raise InputError(message, path=path, line=line, field=others[0])
    return gold_evidence(Claim(one.claim, questions=one.questions)) if one.questions else one.evidence
