"""The two sides that a judge compares: predicted and gold question-answer pairs of a claim.

The two official scorers of the shared task differ in the gold answers that they show, in how they print the questions,
and in the recall from which a claim counts:

| | leaderboard on Hugging Face | EvalAI |
|---|---|---|
| gold answers of a question | all, Boolean ones with their explanation | the first, without explanation |
| questions | joined by spaces | a printed list |
| a claim counts | recall > .5 | recall >= .5 |

Limitations: a gold question is compared once, also where it has several answers.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from src.errors import one_line
from src.evaluation.averitec import NO_ANSWER, Guess, gold_pairs
from src.evaluation.baselines import claim_as_its_question
from src.records import Claim, QAPair


class Inputs(StrEnum):
    """The official scorer whose inputs a judge is shown."""

    HUGGING_FACE = "hugging_face"
    EVALAI = "evalai"


class Pair(NamedTuple):
    """A question and its answer; the question is "" if the prediction joins both to one text."""

    question: str
    answer: str

    @property
    def text(self) -> str:
        """Return question and answer as one line."""
        return one_line(f"{self.question} {self.answer}")


class ClaimTexts(NamedTuple):
    """What is compared for one claim.

    `has_questions`: the predictions have separate questions.
    """

    claim_id: int
    claim: str
    predicted: Sequence[Pair]
    reference: Sequence[Pair]
    has_questions: bool = True

    @property
    def predicted_questions(self) -> list[str]:
        """Return the predicted questions, each once."""
        return _questions(self.predicted)

    @property
    def reference_questions(self) -> list[str]:
        """Return the gold questions, each once."""
        return _questions(self.reference)


def _questions(pairs: Sequence[Pair]) -> list[str]:
    return list(dict.fromkeys(one_line(pair.question) for pair in pairs))


def claim_texts(claim: Claim, guess: Guess, inputs: Inputs, *, has_questions: bool = True) -> ClaimTexts:
    """Return what is compared for a claim. All predicted pairs count, as in the official scorers.

    `has_questions`: False for a file of predictions that joins questions and answers.
    """
    predicted = [Pair(one.question, one.answer) if isinstance(one, QAPair) else Pair("", one) for one in guess.evidence]
    return ClaimTexts(claim.claim_id, claim.claim, predicted, _gold(claim, inputs), has_questions)


def _gold(claim: Claim, inputs: Inputs) -> list[Pair]:
    if inputs is Inputs.HUGGING_FACE:
        return [Pair(*pair) for pair in gold_pairs(claim)]
    return [
        Pair(question.question.strip(), question.answers[0].answer.strip() if question.answers else NO_ANSWER)
        for question in claim.questions
    ]


def with_claim_as_question(texts: ClaimTexts) -> ClaimTexts:
    """Return the texts of the trivial baseline: each predicted question is `Is it true that CLAIM?`."""
    question = claim_as_its_question(texts.claim)
    return texts._replace(predicted=[Pair(question, pair.answer) for pair in texts.predicted])
