"""The AVeriTeC metric on one claim: how well predicted questions and answers cover the gold ones.

Every prediction is compared with every reference by METEOR, the best one-to-one matching is taken (Hungarian method),
and its sum is divided by the number of references:

    u = max over matchings of sum METEOR(reference, prediction) / number of references

    Q      question with question
    Q+A    `question answer` with `question answer`: one reference for every gold answer, a Boolean one with
           `. explanation` behind it

Schlichtkrull, Guo and Vlachos, "AVeriTeC: A Dataset for Real-world Claim Verification with Evidence from the Web",
NeurIPS 2023. The first ten question-answer pairs of a prediction count, as in the published scorer; strings that a
format gives already joined all count, as in the scorer of the 2024 shared task.

But: one claim only; means, levels and F1 are in `aggregate.py`. No METEOR of justifications.
"""

from collections.abc import Sequence

import msgspec

from src.evaluation.hungarian import best_match
from src.evaluation.meteor import Words, scores_against
from src.records import Answer, AnswerType, Claim, QAPair, Question, Verdict
from src.text import words

MAX_PAIRS = 10
NO_ANSWER = "No answer could be found."


class Guess(msgspec.Struct, frozen=True):
    """What a system says on a claim. Evidence that its format gives as one string stays a string.

    `claim` is the claim's text where the format gives it, else empty.
    """

    claim_id: int
    verdict: Verdict | None
    evidence: Sequence[QAPair | str]
    claim: str = ""

    @property
    def pairs(self) -> list[QAPair]:
        return [piece for piece in self.evidence if isinstance(piece, QAPair)][:MAX_PAIRS]

    @property
    def strings(self) -> list[str]:
        return [piece for piece in self.evidence if isinstance(piece, str)]


class Gold:
    """A labelled claim, with its references ready for METEOR. `label` is its verdict."""

    def __init__(self, claim: Claim, label: Verdict) -> None:
        self.claim_id = claim.claim_id
        self.claim = claim.claim
        self.label = label
        self.claim_types = claim.claim_types
        self.questions = [Words(words(question.question)) for question in claim.questions]
        self.answers = [Words(words(text)) for question in claim.questions for text in gold_strings(question)]


class ClaimScore(msgspec.Struct, frozen=True):
    """How one claim came out.

    `question_only` is None where the prediction has no questions of its own, `guessed` where it has no verdict.
    """

    label: Verdict
    guessed: Verdict | None
    question_only: float | None
    question_answer: float
    claim_types: list[str]


def score(gold: Gold, guess: Guess) -> ClaimScore:
    """Both scores lie between 0 and 1; no evidence scores 0. Raises MissingExtra without NLTK 3.9.1 and its data."""
    pairs, strings = guess.pairs, guess.strings
    return ClaimScore(
        label=gold.label,
        guessed=guess.verdict,
        question_only=None if strings else coverage(gold.questions, [pair.question for pair in pairs]),
        question_answer=coverage(gold.answers, [f"{pair.question} {pair.answer}" for pair in pairs] + strings),
        claim_types=gold.claim_types,
    )


def coverage(references: Sequence[Words], predictions: Sequence[str]) -> float:
    """Hungarian METEOR divided by the number of references; 0 where there is nothing on either side."""
    if not references:
        return 0.0
    return best_match(scores_against(references, predictions)) / len(references)


def gold_strings(question: Question) -> list[str]:
    """What a predicted `question answer` is compared with: one string for every answer, one when there is none."""
    if not question.answers:
        return [f"{question.question} {NO_ANSWER}"]
    return [f"{question.question} {answer.answer}{_explanation(answer)}" for answer in question.answers]


def _explanation(answer: Answer) -> str:
    return f". {answer.boolean_explanation or ''}" if answer.answer_type is AnswerType.BOOLEAN else ""
