"""The entailment model as judge: it reads each fact with all evidence of the other side.

Facts are the sentences of the answers. A sentence with few words gets its question before it, since "Yes." alone states
nothing. A fact has the verdict of the most probable class: entailment, contradiction or neutral. A question is read as
a fact, with the questions of the other side.

Limitations: pronouns stay as they are, and a sentence with two facts is one. The model was trained on statements, not
on questions. The other side's pairs count up to the model's length: longer ones are cut to fair shares.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from src.ev2r.records import ClaimJudgment, FactVerdict, Judged, JudgedFact, Status
from src.ev2r.texts import ClaimTexts, Pair
from src.llm.protocol import ModelInfo
from src.models.entailment import Entailed, Entailment, Premise, TitledText
from src.text import sentences, words

FEW_WORDS = 6  # a shorter sentence gets its question before it
AT_ONCE = 32  # claims in a batch
Side = list[JudgedFact]


class Direction(NamedTuple):
    """Facts of one side, and the texts of the other one that they are judged by."""

    facts: Sequence[str]
    premise: Sequence[TitledText]


class EntailmentJudge:
    """Judge that reads facts with an entailment model."""

    at_once = AT_ONCE
    prompt_sha256 = ""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self.info: ModelInfo = model.info

    def judge(self, claims: Sequence[ClaimTexts]) -> list[ClaimJudgment]:
        """Return the judgment of each claim, in order. All facts of the claims are read together.

        Raises ModelError when the model fails.
        """
        directions = [direction for claim in claims for direction in _directions(claim)]
        premises = [Premise(one.premise, fact) for one in directions for fact in one.facts]
        read = iter(self._model.scores(premises))
        judged = iter([[JudgedFact(fact, _verdict(next(read))) for fact in one.facts] for one in directions])
        return [_judgment(claim, judged) for claim in claims]


def _directions(claim: ClaimTexts) -> Iterator[Direction]:
    """Yield the directions of a claim: predicted and reference questions, if any; predicted and reference facts."""
    if claim.has_questions:
        predicted, reference = claim.predicted_questions, claim.reference_questions
        yield Direction(predicted, [("", question) for question in reference])
        yield Direction(reference, [("", question) for question in predicted])
    yield Direction(facts(claim.predicted), list(claim.reference))
    yield Direction(facts(claim.reference), list(claim.predicted))


def facts(pairs: Sequence[Pair]) -> list[str]:
    """Return the facts of question-answer pairs, each once."""
    return list(dict.fromkeys(fact for pair in pairs for fact in _facts(pair)))


def _facts(pair: Pair) -> Iterator[str]:
    for sentence in sentences(pair.answer) or [""]:
        is_short = sum(word.isalnum() for word in words(sentence)) < FEW_WORDS
        yield f"{pair.question} {sentence}".strip() if is_short else sentence


def _verdict(read: Entailed) -> FactVerdict:
    if read.entail >= max(read.contradict, read.neutral):
        return FactVerdict.SUPPORTED
    return FactVerdict.CONTRADICTED if read.contradict > read.neutral else FactVerdict.NOT_ENOUGH


def _judgment(claim: ClaimTexts, judged: Iterator[Side]) -> ClaimJudgment:
    """Return the judgment of a claim from the next results of its directions."""
    questions = Judged(next(judged), next(judged)) if claim.has_questions else None
    return ClaimJudgment(claim.claim_id, Status.SCORED, questions, Judged(next(judged), next(judged)))
