"""The gold passages of claims, whatever data set: HOVER's and FEVEROUS-S's evidence, AVeriTeC's answers."""

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
    """The passages of these claims, texts by claim_id, which is the 0-based place in the file where it names none.

    Raises InputError (file, line, field), also when a claim_id stands there twice, when a claim is not there or another
    one stands in its place, and when none of them has a passage.
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
    """Each answer that is one, behind its question."""
    told = [answer for answer in question.answers if answer.answer_type is not AnswerType.UNANSWERABLE]
    asked = question.question.strip()
    return [Sentence(f"{asked} {gold_answer(answer)}".strip(), answer.source_url or "") for answer in told]


def gold_answer(answer: Answer) -> str:
    """A Boolean answer with its explanation behind it."""
    said = answer.answer.strip()
    why = (answer.boolean_explanation or "").strip() if answer.answer_type is AnswerType.BOOLEAN else ""
    return f"{said.removesuffix('.')}. {why}" if said and why else said or why
