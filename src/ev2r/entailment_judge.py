"""The small models as judge: a sentence encoder for questions, the entailment model for facts.

Facts are the sentences of the answers. A sentence with few words gets its question before it, since "Yes." alone states
nothing. A gold fact is read with each of the `NEAREST` predicted pairs that the encoder finds most similar, a predicted
fact with the most similar gold pair. A fact is supported if a pair of the other side repeats it word for word, or if
its probability of entailment reaches `ENTAILED`. It is contradicted if the probability of contradiction reaches
`CONTRADICTED` instead. A question is supported if a question of the other side is as similar as `SAME_QUESTION`. It is
never contradicted.

At most `MOST_PREDICTED` predicted facts of a claim are read, at equal distances; precision is an estimate if there are
more. The thresholds were chosen on claims of train, without people's ratings (`bench/ev2r/thresholds.py`).

Limitations: pronouns stay as they are, and a sentence with two facts is one. The entailment model was trained to read
web pages about a claim, so it doubts a page that merely repeats a statement.
"""

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace

from src.ev2r.records import ClaimJudgment, FactVerdict, Judged, JudgedFact, Status
from src.ev2r.texts import ClaimTexts, Pair
from src.llm.protocol import ModelInfo
from src.models.encoder import SentenceEncoder, Vectors
from src.models.entailment import Entailed, Entailment, Premise
from src.text import same, sentences, words

FEW_WORDS = 6  # a shorter sentence gets its question before it
NEAREST = 2
MOST_PREDICTED = 6
ENTAILED = 0.4
CONTRADICTED = 0.5
SAME_QUESTION = 0.84
AT_ONCE = 32  # claims in a batch


class Direction(NamedTuple):
    """Facts of one side, and for each the indices of the most similar pairs of the other side, most similar first."""

    facts: Sequence[str]
    pairs: Sequence[Pair]
    nearest: Sequence[Sequence[int]]

    @property
    def premises(self) -> list[Premise]:
        """Return the inputs of the entailment model, those of one fact after those of another."""
        return [
            Premise([self.pairs[place]], fact)
            for fact, places in zip(self.facts, self.nearest, strict=True)
            for place in places
        ]


class EntailmentJudge:
    """Judge that compares questions by a sentence encoder and reads facts with an entailment model."""

    at_once = AT_ONCE
    prompt_sha256 = hashlib.sha256(
        repr((FEW_WORDS, NEAREST, MOST_PREDICTED, ENTAILED, CONTRADICTED, SAME_QUESTION)).encode()
    ).hexdigest()

    def __init__(self, model: Entailment, encoder: SentenceEncoder) -> None:
        self._model, self._encoder = model, encoder
        weights = (one for one in (model.info.sha256, encoder.info.sha256) if one)
        self.info: ModelInfo = replace(
            model.info, name=f"{model.info.name} and {encoder.info.name}", sha256=" ".join(weights) or None
        )

    def judge(self, claims: Sequence[ClaimTexts], *, only_questions: bool = False) -> list[ClaimJudgment]:
        """Return the judgment of each claim, in order; all facts of the claims are read together.

        Raises ModelError when the model fails.
        """
        questions = self._questions(claims)
        if only_questions:
            return [
                ClaimJudgment(claim.claim_id, Status.SCORED, one) for claim, one in zip(claims, questions, strict=True)
            ]
        directions = self._directions(claims)
        read = iter(self._model.scores([premise for one in directions for premise in one.premises]))
        judged = iter([_judged(one, read) for one in directions])
        return [
            ClaimJudgment(claim.claim_id, Status.SCORED, of_questions, Judged(next(judged), next(judged)))
            for claim, of_questions in zip(claims, questions, strict=True)
        ]

    def _questions(self, claims: Sequence[ClaimTexts]) -> list[Judged | None]:
        """Return the judgment of the questions of each claim, in order; None where there are none."""
        sides = [side for one in claims for side in (one.predicted_questions, one.reference_questions)]
        vectors = self._vectors([question for side in sides for question in side])
        return [_of_questions(claim, vectors) if claim.has_questions else None for claim in claims]

    def _directions(self, claims: Sequence[ClaimTexts]) -> list[Direction]:
        """Return both directions of each claim: predicted facts, then reference facts."""
        sides = [side for claim in claims for side in _sides(claim)]
        vectors = self._vectors([text for own, other, _ in sides for text in (*own, *(pair.text for pair in other))])
        return [Direction(own, other, _nearest(own, other, vectors, number)) for own, other, number in sides]

    def _vectors(self, texts: Sequence[str]) -> dict[str, Vectors]:
        """Return the vector of each text, of length 1."""
        distinct = list(dict.fromkeys(texts))
        return dict(zip(distinct, self._encoder.encode(distinct), strict=True)) if distinct else {}


def facts(pairs: Sequence[Pair]) -> list[str]:
    """Return the facts of question-answer pairs, each once."""
    return list(dict.fromkeys(fact for pair in pairs for fact in _facts(pair)))


def _facts(pair: Pair) -> Iterator[str]:
    for sentence in sentences(pair.answer) or [""]:
        is_short = sum(word.isalnum() for word in words(sentence)) < FEW_WORDS
        yield f"{pair.question} {sentence}".strip() if is_short else sentence


def _sides(claim: ClaimTexts) -> Iterator[tuple[list[str], Sequence[Pair], int]]:
    """Yield the predicted facts, then the gold facts, each with the pairs of the other side and how many to read."""
    predicted = facts(claim.predicted)
    places = np.linspace(0, len(predicted) - 1, min(len(predicted), MOST_PREDICTED)).round().astype(int)
    yield [predicted[place] for place in places], claim.reference, 1
    yield facts(claim.reference), claim.predicted, NEAREST


def _nearest(own: Sequence[str], other: Sequence[Pair], vectors: dict[str, Vectors], number: int) -> list[list[int]]:
    likeness = np.stack([vectors[fact] for fact in own]) @ np.stack([vectors[pair.text] for pair in other]).T
    order: list[list[int]] = np.argsort(-likeness, axis=1, kind="stable")[:, :number].tolist()
    return order


def _of_questions(claim: ClaimTexts, vectors: dict[str, Vectors]) -> Judged:
    predicted, reference = claim.predicted_questions, claim.reference_questions
    likeness = np.stack([vectors[one] for one in predicted]) @ np.stack([vectors[one] for one in reference]).T
    return Judged(_same(predicted, likeness.max(axis=1)), _same(reference, likeness.max(axis=0)))


def _same(questions: Sequence[str], likeness: Vectors) -> list[JudgedFact]:
    verdicts = (FactVerdict.SUPPORTED if one >= SAME_QUESTION else FactVerdict.NOT_ENOUGH for one in likeness)
    return [JudgedFact(question, verdict) for question, verdict in zip(questions, verdicts, strict=True)]


def _judged(direction: Direction, read: Iterator[Entailed]) -> list[JudgedFact]:
    """Return the verdict on each fact of a direction; `read` yields the model's results in the order of its inputs."""
    others = [f" {same(pair.text)} " for pair in direction.pairs]
    return [
        JudgedFact(fact, _verdict(fact, [next(read) for _ in places], others))
        for fact, places in zip(direction.facts, direction.nearest, strict=True)
    ]


def _verdict(fact: str, read: Sequence[Entailed], others: Sequence[str]) -> FactVerdict:
    if any(f" {same(fact)} " in other for other in others) or max(one.entail for one in read) >= ENTAILED:
        return FactVerdict.SUPPORTED
    if max(one.contradict for one in read) >= CONTRADICTED:
        return FactVerdict.CONTRADICTED
    return FactVerdict.NOT_ENOUGH
