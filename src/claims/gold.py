"""The gold passages of claims, whatever data set: HOVER's and FEVEROUS-S's evidence, AVeriTeC's answers."""

from pathlib import Path

import msgspec

from src.claims.labelled import passage
from src.records import Answer, AnswerType, Question, Sentence
from src.store import read_records


class _Line(msgspec.Struct):
    claim_id: int | None = None
    evidence: str = ""
    questions: list[Question] = []


def read_gold_passages(path: Path) -> dict[int, list[Sentence]]:
    """By claim_id, the 0-based place in the file where there is none. Raises InputError (file, line, field)."""
    return {
        place if one.claim_id is None else one.claim_id: [
            *(passage(text) for text in one.evidence.split("\n") if text.strip()),
            *(found for question in one.questions for found in _answers(question)),
        ]
        for place, one in enumerate(read_records(path, _Line))
    }


def _answers(question: Question) -> list[Sentence]:
    """Each answer that is one, behind its question."""
    told = [answer for answer in question.answers if answer.answer_type is not AnswerType.UNANSWERABLE]
    return [Sentence(f"{question.question.strip()} {_text(answer)}", answer.source_url or "") for answer in told]


def _text(answer: Answer) -> str:
    return " ".join(filter(None, (answer.answer.strip(), (answer.boolean_explanation or "").strip())))
