"""Gold passages of claims from any data set: the evidence of HOVER and FEVEROUS-S, the answers of AVeriTeC."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from src.claims.labelled import passage
from src.errors import InputError
from src.records import Answer, AnswerType, ClaimId, Question, Sentence
from src.store import located, read_bytes, refuse_doubles
from src.text import folded


class _Line(msgspec.Struct):
    claim: str
    claim_id: ClaimId | None = None
    evidence: str = ""
    questions: list[Question] = []


def read_gold_passages(path: Path, claims: Mapping[int, str]) -> dict[int, list[Sentence]]:
    """Return the gold passages of the claims; `claims` has their texts by claim_id.

    A claim of the file without a claim_id gets its 0-based place. Raises InputError (file, line, field) when a claim_id
    occurs twice, when a claim is missing or has another text, and when no claim has a passage.
    """
    lines = [
        (place if one.claim_id is None else one.claim_id, line, one)
        for place, (line, one) in enumerate(located(read_bytes(path), _Line, path))
    ]
    refuse_doubles([(line, claim_id) for claim_id, line, _ in lines], path)
    held = {claim_id: (line, one) for claim_id, line, one in lines}
    found = {}
    for claim_id, text in claims.items():
        if claim_id not in held:
            raise InputError(f"there is no claim {claim_id}", path=path)
        line, one = held[claim_id]
        if folded(one.claim) != folded(text):
            raise InputError(f"is not claim {claim_id} of the programs", path=path, line=line, field="claim")
        found[claim_id] = _passages(one)
    if not any(found.values()):
        raise InputError("none of the claims has gold evidence here", path=path)
    return found


def _passages(one: _Line) -> list[Sentence]:
    written = [passage(text) for text in one.evidence.split("\n") if text.strip()]
    return written + [found for question in one.questions for found in _answers(question)]


def _answers(question: Question) -> list[Sentence]:
    """Return each answer that is not "unanswerable", preceded by its question."""
    told = [answer for answer in question.answers if answer.answer_type is not AnswerType.UNANSWERABLE]
    asked = question.question.strip()
    return [Sentence(f"{asked} {gold_answer(answer)}".strip(), answer.source_url or "") for answer in told]


def gold_answer(answer: Answer) -> str:
    """Return the text of an answer; the explanation of a Boolean answer is appended."""
    said = answer.answer.strip()
    why = (answer.boolean_explanation or "").strip() if answer.answer_type is AnswerType.BOOLEAN else ""
    return f"{said.removesuffix('.')}. {why}" if said and why else said or why
