"""Scoreboard of a set of predictions: all scores, their intervals and baselines, as a record and as text.

The lines begin as those of the published scorer: the label padded to 45 characters, then the full number. Intervals and
baselines follow on the same line.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec

from src.evaluation import baselines
from src.evaluation.aggregate import TYPE_LEVEL, Scores, Tally, intervals
from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.evaluation.bootstrap import Interval

V = TypeVar("V")


class Baselines(msgspec.Struct):
    """Scores of the two trivial baselines (`baselines.py`).

    `claim_as_question` is None if the evidence has no separate questions.
    """

    always_refuted: Scores[float]
    claim_as_question: Scores[float] | None


class Scoreboard(Scores[float], kw_only=True):
    """Scores of `n` claims. `baselines` and `intervals` are None if they were not requested."""

    n: int
    baselines: Baselines | None = msgspec.field(name="floors")
    intervals: Scores[Interval] | None


def evaluate(
    golds: Sequence[Gold], guesses: Sequence[Guess], *, with_baselines: bool = True, seed: int | None = 0
) -> Scoreboard:
    """Return the scores of predictions; guess k is compared with gold k.

    `with_baselines`: if False, the scores of the baselines are left out.
    `seed`: seed of the resamples for the intervals; None: no intervals are computed.

    Raises MissingExtra without NLTK 3.9.1 and its data.
    """
    claims = [score(gold, guess) for gold, guess in zip(golds, guesses, strict=True)]
    trivial = baselines_of(claims, baselines.claim_as_question(golds, guesses)) if with_baselines else None
    return scoreboard(claims, trivial, seed)


def baselines_of(claims: Sequence[ClaimScore], asking: Sequence[ClaimScore] | None) -> Baselines:
    """Return the scores of both baselines over a set of claims.

    `asking` has the claims' scores with the claim as question (`claim_as_question`), or is None.
    """
    return Baselines(
        always_refuted=Tally(baselines.always_refuted(claims)).scores(),
        claim_as_question=Tally(asking).scores() if asking is not None else None,
    )


def scoreboard(claims: Sequence[ClaimScore], trivial: Baselines | None, seed: int | None = 0) -> Scoreboard:
    """Return the scoreboard of claims that are already scored.

    `trivial`: scores of the baselines, or None.
    `seed`: seed of the resamples for the intervals; None: no intervals are computed.
    """
    tally = Tally(claims)
    table = tally.scores()
    return Scoreboard(
        n=len(claims),
        question_only=table.question_only,
        question_answer=table.question_answer,
        averitec=table.averitec,
        veracity=table.veracity,
        by_type=table.by_type,
        baselines=trivial,
        intervals=None if seed is None else intervals(tally, seed),
    )


def render(board: Scoreboard) -> list[str]:
    """Return the scoreboard as lines of text.

    The lines are those that the published scorer prints, with further columns for intervals and baselines.
    """
    columns = [("score", 22, _texts(board, repr))]
    if board.intervals:
        columns.append(("95 % interval", 18, _texts(board.intervals, _brackets)))
    if board.baselines:
        columns.append(("always Refuted", 17, _texts(board.baselines.always_refuted, _three_digits)))
    if board.baselines and board.baselines.claim_as_question:
        columns.append(("claim as question", 17, _texts(board.baselines.claim_as_question, _three_digits)))
    lines = [("", [title for title, _, _ in columns])]
    lines += [(label, [texts[label] for _, _, texts in columns]) for label in columns[0][2]]
    widths = [width for _, width, _ in columns]
    return [
        (label.ljust(45) + "".join(text.ljust(width) for text, width in zip(texts, widths, strict=True))).rstrip()
        for label, texts in lines
    ]


def _texts(table: Scores[V], show: Callable[[V], str]) -> dict[str, str]:
    """Return a dictionary of labels and scores as text, in the order of printing. Titles of sections have no score."""
    question_only = "not applicable" if table.question_only is None else show(table.question_only)
    texts = {
        "Question-only score (HU-meteor):": question_only,
        "Question-answer score (HU-meteor):": show(table.question_answer),
        "Veracity F1 scores:": "",
    }
    texts |= {f" * {name}:": show(value) for name, value in table.veracity.items()}
    texts["AVeriTeC scores:"] = ""
    texts |= {f" * Veracity scores (meteor @ {level}):": show(value) for level, value in table.averitec.items()}
    texts[f"AVeriTeC scores by type @ {TYPE_LEVEL}:"] = ""
    return texts | {f" * Veracity scores ({name}):": show(value) for name, value in table.by_type.items()}


def _three_digits(value: float) -> str:
    return f"{value:.3f}"


def _brackets(interval: Interval) -> str:
    low, high = interval
    return f"[{low:.3f}, {high:.3f}]"
