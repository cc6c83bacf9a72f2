"""AVeriTeC metric on one claim: how well predicted questions and answers cover the gold ones.

Every prediction is compared with every reference by METEOR. The best one-to-one matching is found (Hungarian method),
and its sum is divided by the number of references:

    u = max over matchings of sum METEOR(reference, prediction) / number of references

    Q      question with question
    Q+A    `question answer` with `question answer`: one reference for every gold answer; a Boolean answer is followed
           by `. explanation`

Schlichtkrull, Guo and Vlachos, "AVeriTeC: A Dataset for Real-world Claim Verification with Evidence from the Web",
NeurIPS 2023. The first ten question-answer pairs of a prediction count, as in the published scorer. If a format joins
questions and answers to one string, all strings count, as in the scorer of the 2024 shared task.

Limitations: one claim only; means, levels and F1 are in `aggregate.py`. METEOR of justifications is not computed.
"""

from collections.abc import Sequence

import msgspec

from src.claims import gold_answer
from src.evaluation.hungarian import best_match
from src.evaluation.meteor import Words, scores_against
from src.records import Answer, AnswerType, Claim, QAPair, Question, Verdict
from src.text import words

MAX_PAIRS = 10
NO_ANSWER = "No answer could be found."


class Guess(msgspec.Struct, frozen=True):
    """A system's prediction for a claim.

    `verdict`: predicted verdict; None if there is none.
    `evidence`: question-answer pairs, or strings if the file joins questions and answers.
    `claim`: text of the claim; empty if the file does not have it.
    """

    claim_id: int
    verdict: Verdict | None
    evidence: Sequence[QAPair | str]
    claim: str = ""

    @property
    def pairs(self) -> list[QAPair]:
        """Return the question-answer pairs of the evidence, at most MAX_PAIRS."""
        return [piece for piece in self.evidence if isinstance(piece, QAPair)][:MAX_PAIRS]

    @property
    def strings(self) -> list[str]:
        """Return the pieces of evidence that join question and answer to one string."""
        return [piece for piece in self.evidence if isinstance(piece, str)]


class Gold:
    """A labeled claim, with its gold questions and answers preprocessed for METEOR."""

    def __init__(self, claim: Claim, label: Verdict) -> None:
        self.claim_id = claim.claim_id
        self.claim = claim.claim
        self.label = label
        self.claim_types = claim.claim_types
        self.questions = [Words(words(question.question)) for question in claim.questions]
        self.answers = [Words(words(text)) for question in claim.questions for text in gold_strings(question)]


class ClaimScore(msgspec.Struct, frozen=True):
    """Scores of one claim.

    `label`: gold verdict.
    `guessed`: predicted verdict; None if there is none.
    `question_only`: Q; None if the prediction has no separate questions.
    `question_answer`: Q+A.
    `claim_types`: types of the claim.
    """

    label: Verdict
    guessed: Verdict | None
    question_only: float | None
    question_answer: float
    claim_types: list[str]


def score(gold: Gold, guess: Guess) -> ClaimScore:
    """Return the scores of a prediction. Q and Q+A are between 0 and 1; without evidence they are 0.

    Raises MissingExtra without NLTK 3.9.1 and its data.
    """
    pairs, strings = guess.pairs, guess.strings
    return ClaimScore(
        label=gold.label,
        guessed=guess.verdict,
        question_only=None if strings else coverage(gold.questions, [pair.question for pair in pairs]),
        question_answer=coverage(gold.answers, [f"{pair.question} {pair.answer}" for pair in pairs] + strings),
        claim_types=gold.claim_types,
    )


def coverage(references: Sequence[Words], predictions: Sequence[str]) -> float:
    """Return the METEOR sum of the best matching, divided by the number of references; 0 without references or
    predictions.
    """
    if not references:
        return 0.0
    return best_match(scores_against(references, predictions)) / len(references)


def gold_strings(question: Question) -> list[str]:
    """Return the references of a gold question: `question answer` for each answer, or one string if there is no
    answer.
    """
    if not question.answers:
        return [f"{question.question} {NO_ANSWER}"]
    return [f"{question.question} {answer.answer}{_explanation(answer)}" for answer in question.answers]


def _explanation(answer: Answer) -> str:
    return f". {answer.boolean_explanation or ''}" if answer.answer_type is AnswerType.BOOLEAN else ""


def gold_pairs(claim: Claim) -> list[tuple[str, str]]:
    """Return a pair (question, answer) for each gold answer of the claim, Boolean answers with their explanation.

    A question without answers gives one pair, with the answer NO_ANSWER.
    """
    return [
        (question.question.strip(), text)
        for question in claim.questions
        for text in [gold_answer(answer) for answer in question.answers] or [NO_ANSWER]
    ]
