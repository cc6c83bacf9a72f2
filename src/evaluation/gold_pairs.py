"""A claim's gold evidence as question-answer pairs, as our models read it."""

from src.claims import gold_answer
from src.evaluation.averitec import NO_ANSWER
from src.records import Claim


def gold_pairs(claim: Claim) -> list[tuple[str, str]]:
    """Return a pair for each answer, Boolean answers with their explanation; one pair for a question without
    answers.
    """
    return [
        (question.question.strip(), text)
        for question in claim.questions
        for text in [gold_answer(answer) for answer in question.answers] or [NO_ANSWER]
    ]
