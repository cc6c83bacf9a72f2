"""The evidence of a claim beside the gold evidence: which pairs were matched, and the source of each.

The matching is that of the published score (`src/evaluation/averitec.py`): `question answer` with `question answer`,
one to one, with the largest sum of METEOR. The first ten pairs of a prediction count.
"""

from collections.abc import Sequence
from itertools import zip_longest

from msgspec.structs import replace

from src.claims import gold_answer
from src.evaluation.averitec import MAX_PAIRS, NO_ANSWER, Gold
from src.evaluation.hungarian import partners
from src.evaluation.meteor import scores_against
from src.records import Answer, ChosenSentence, Claim, QAPair, Sentence, Side
from src.report.claim.view import Pair, Retrieved
from src.text import folded


def pairs_of(evidence: Sequence[QAPair], sides: Sequence[Side] = ()) -> tuple[Pair, ...]:
    """Return the pairs, each with its stance where stances were read."""
    return tuple(
        Pair(
            number,
            " ".join(one.question.split()),
            " ".join(one.answer.split()),
            one.url.strip(),
            stance=side,
        )
        for number, (one, side) in enumerate(zip_longest(evidence, sides), start=1)
    )


def gold_pairs_of(claim: Claim) -> tuple[Pair, ...]:
    """Return a pair for each answer, and one for a question without answers: the score has as many references."""
    told = [
        (" ".join(question.question.split()), gold_answer(answer), (answer.source_url or "").strip())
        for question in claim.questions
        for answer in question.answers or [Answer(NO_ANSWER)]
    ]
    return tuple(Pair(number, *one) for number, one in enumerate(told, start=1))


def matched(pairs: Sequence[Pair], gold: Sequence[Pair], known: Gold) -> tuple[tuple[Pair, ...], tuple[Pair, ...]]:
    """Return predicted and gold pairs with their partners. Raises MissingExtra without NLTK 3.9.1 and its data."""
    if not known.answers:
        return tuple(pairs), tuple(gold)
    scores = scores_against(known.answers, [f"{one.question} {one.answer}" for one in pairs[:MAX_PAIRS]])
    found = {row: column for row, column in partners(scores).items() if scores[row, column] > 0}
    predicted, references = list(pairs), list(gold)
    for row, column in found.items():
        meteor = float(scores[row, column])
        predicted[row] = replace(pairs[row], partner=gold[column].number, meteor=meteor)
        references[column] = replace(gold[column], partner=pairs[row].number, meteor=meteor)
    return tuple(predicted), tuple(references)


def retrieved(sentences: Sequence[Sentence], pairs: Sequence[Pair]) -> tuple[Retrieved, ...]:
    """Return the sentences in rank order, each with the numbers of the pairs whose answer it is."""
    answers: dict[str, list[int]] = {}
    for pair in pairs:
        answers.setdefault(folded(pair.answer), []).append(pair.number)
    return tuple(
        _retrieved(rank, one, tuple(answers.get(folded(one.sentence), ())))
        for rank, one in enumerate(sentences, start=1)
    )


def _retrieved(rank: int, one: Sentence, used: tuple[int, ...]) -> Retrieved:
    if not isinstance(one, ChosenSentence):
        return Retrieved(rank, one.sentence, one.url, used=used)
    return Retrieved(rank, one.sentence, one.url, one.before, one.after, one.reason, used)
