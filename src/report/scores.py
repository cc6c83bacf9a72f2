"""Scores of a run against its labels, beside baselines and published systems.

Each claim is scored once for the run and once for each baseline. The published systems are scored by the same
evaluator, on their predictions for all 500 claims of AVeriTeC dev. Each system has its own evidence, so the figures
compare whole systems, not verdict models. `docs/results/scoreboard.md` compares verdict models on equal sentences. The
two HerO systems share their evidence.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import msgspec

from src.evaluation import baselines
from src.evaluation.aggregate import FIGURES, main_figures
from src.evaluation.averitec import ClaimScore, Gold, Guess, score
from src.evaluation.bootstrap import Interval
from src.evaluation.scoreboard import Scoreboard, baselines_of, scoreboard
from src.evaluation.tables import interval, number
from src.records import Claim, Prediction
from src.report.charts import ChartFigure, DataTable, IntervalChart, IntervalRow
from src.report.run import Run

EVIDENCE = FIGURES[:2]
BASELINES = ("claim as question", "always Refuted")
HEAD = ("Score", "This run", "95 % interval", "Claim as question", "Always Refuted")
FULL_NAMES = {
    "Q": "Q: questions against gold questions, METEOR",
    "Q+A": "Q+A: questions with answers against gold ones, METEOR",
    "@.25": "AVeriTeC score: verdict right and Q+A above .25",
    "accuracy": "Accuracy of verdicts",
    "macro-F1": "Macro-F1 of verdicts",
}
SPLIT, CLAIMS = "dev", 500  # of the published figures
Golds = Mapping[int, Gold]


class Scored(msgspec.Struct, frozen=True):
    """Scores of a run's claims and of two baselines, all in the order of the run's predictions.

    `claims`: scores of the run, by claim_id.
    `refuted`: scores with the verdict Refuted for every claim.
    `asking`: scores with the claim as question; None if the evidence has no questions.
    `board`: scoreboard of the run with these baselines.
    """

    claims: Mapping[int, ClaimScore]
    refuted: Sequence[ClaimScore]
    asking: Sequence[ClaimScore] | None
    board: Scoreboard


def golds_of(claims: Iterable[Claim]) -> Golds:
    """Return the labeled claims by claim_id, preprocessed for METEOR. Raises MissingExtra without NLTK 3.9.1 and its
    data.
    """
    return {one.claim_id: Gold(one, one.label) for one in claims if one.label is not None}


def claim_scores(run: Run, golds: Golds) -> dict[int, ClaimScore]:
    """Return the score of each predicted claim that has a label, by claim_id."""
    labelled = [one for one in run.predictions if one.claim_id in golds]
    return {one.claim_id: score(golds[one.claim_id], guess_of(one)) for one in labelled}


def scored(run: Run, golds: Golds) -> Scored | None:
    """Return the scores of a run; None if some claim has no label, because totals are then not comparable."""
    if any(one.claim_id not in golds for one in run.predictions):
        return None
    claims = claim_scores(run, golds)
    of_run = [golds[one.claim_id] for one in run.predictions]
    asking = baselines.claim_as_question(of_run, [guess_of(one) for one in run.predictions])
    known = list(claims.values())
    board = scoreboard(known, baselines_of(known, asking))
    return Scored(claims=claims, refuted=baselines.always_refuted(known), asking=asking, board=board)


def guess_of(prediction: Prediction) -> Guess:
    """Return a prediction as the record that the evaluation scores: verdict, evidence and text of the claim."""
    return Guess(prediction.claim_id, prediction.pred_label, prediction.evidence, prediction.claim)


class Estimate(NamedTuple):
    """A score with its 95 % bootstrap interval."""

    value: float
    low: float
    high: float


class PublishedSystem(NamedTuple):
    """Scores of a published system: Q, Q+A, AVeriTeC @.25, accuracy, macro-F1. `source` is its publication or
    repository.
    """

    name: str
    source: str
    question_only: Estimate
    question_answer: Estimate
    averitec: Estimate
    accuracy: Estimate
    macro_f1: Estimate


_ORGANISERS = "Schlichtkrull, Guo and Vlachos, NeurIPS 2023; as kept in skmalviya/AVeriTeC_SKDU, revision 3f1877eb"
_HERO = "Yoon et al., FEVER Workshop 2024; ssu-humane/HerO, revision 9840dfaa"

PUBLISHED = (
    PublishedSystem(
        "Official baseline: BLOOM-7b1 and BERT", _ORGANISERS,
        Estimate(0.240, 0.230, 0.251), Estimate(0.185, 0.178, 0.194), Estimate(0.092, 0.068, 0.120),
        Estimate(0.546, 0.502, 0.588), Estimate(0.321, 0.287, 0.354),
    ),
    PublishedSystem(
        "HerO, Llama-3.1-8B", _HERO,
        Estimate(0.491, 0.476, 0.506), Estimate(0.340, 0.329, 0.353), Estimate(0.526, 0.480, 0.570),
        Estimate(0.702, 0.662, 0.740), Estimate(0.409, 0.365, 0.458),
    ),
    PublishedSystem(
        "HerO, Llama-3.1-70B", _HERO,
        Estimate(0.491, 0.476, 0.506), Estimate(0.340, 0.329, 0.353), Estimate(0.544, 0.500, 0.584),
        Estimate(0.726, 0.686, 0.764), Estimate(0.459, 0.396, 0.517),
    ),
    PublishedSystem(
        "FEVER-8 baseline", "Raldir/FEVER-8-Shared-Task, revision 5bf344fc; its examples come from dev",
        Estimate(0.543, 0.526, 0.560), Estimate(0.364, 0.352, 0.377), Estimate(0.554, 0.508, 0.598),
        Estimate(0.694, 0.654, 0.734), Estimate(0.429, 0.381, 0.479),
    ),
    PublishedSystem(
        "AIC, Qwen3", "heruberuto/FEVER-8-Shared-Task, revision af063d08; answers written by the model",
        Estimate(0.431, 0.417, 0.446), Estimate(0.281, 0.271, 0.291), Estimate(0.384, 0.340, 0.426),
        Estimate(0.680, 0.638, 0.718), Estimate(0.449, 0.403, 0.495),
    ),
    PublishedSystem(
        "UHH, approach 1, top 10", "uhh-hcds/AVeriTec, revision dd8336a9",
        Estimate(0.482, 0.465, 0.497), Estimate(0.298, 0.288, 0.310), Estimate(0.296, 0.254, 0.336),
        Estimate(0.462, 0.418, 0.504), Estimate(0.312, 0.273, 0.348),
    ),
    PublishedSystem(
        "xplainlp", "XplaiNLP/SFEFC-FEVER-8-Shared-Task, revision f04eddb1",
        Estimate(0.351, 0.336, 0.366), Estimate(0.343, 0.332, 0.354), Estimate(0.588, 0.546, 0.632),
        Estimate(0.718, 0.680, 0.754), Estimate(0.366, 0.345, 0.387),
    ),
)  # fmt: skip


def why_not_comparable(run: Run, split: str) -> str:
    """Return why the scores of published systems are not comparable to those of the run; "" if they are."""
    if not run.is_labelled:
        return "not every claim of this run has a label"
    if split != SPLIT:
        return f"they are of the claims of AVeriTeC's {SPLIT} split, this run is of {split}"
    if [one.claim_id for one in run.predictions] != list(range(CLAIMS)):
        return f"they are of all {CLAIMS} claims of {SPLIT}, this run has {len(run.predictions)}"
    return ""


class ScoreRow(msgspec.Struct, frozen=True):
    """A row of the table of scores.

    `name`: name of the score, or a claim type.
    `value`: score of the run, with its 95 % `interval`.
    `asking`: score of the baseline "claim as question"; None if it does not apply.
    `refuted`: score of the baseline "always Refuted"; None if it does not apply.
    """

    name: str
    value: float
    interval: Interval
    asking: float | None = None
    refuted: float | None = None

    @property
    def cells(self) -> tuple[str, ...]:
        return (self.name, number(self.value), interval(self.interval), _or_dash(self.asking), _or_dash(self.refuted))

    @property
    def drawn(self) -> IntervalRow:
        return IntervalRow(self.name, self.value, *self.interval, (self.asking, self.refuted))


class PublishedRow(msgspec.Struct, frozen=True):
    """A row of the table of published systems; `figures` are score and interval as text, in the order of FIGURES."""

    name: str
    source: str
    figures: tuple[tuple[str, str], ...]


def main_rows(board: Scoreboard) -> list[ScoreRow]:
    """Return a row for each of the main scores (FIGURES). The board must have baselines and intervals.

    Always Refuted has the evidence of the run, so it is no baseline for the scores of evidence alone.
    """
    assert board.baselines is not None
    assert board.intervals is not None
    values, intervals = main_figures(board), main_figures(board.intervals)
    asking = main_figures(board.baselines.claim_as_question) if board.baselines.claim_as_question else {}
    refuted = main_figures(board.baselines.always_refuted)
    return _rows(values, intervals, asking, {name: refuted[name] for name in refuted if name not in EVIDENCE})


def type_rows(board: Scoreboard) -> list[ScoreRow]:
    """Return a row for each claim type, highest score first: mean Q+A, counted as 0 if it is not above .25.

    The verdict has no effect on this score, so always Refuted is no baseline for it.
    """
    assert board.baselines is not None
    assert board.intervals is not None
    asking = board.baselines.claim_as_question
    rows = _rows(board.by_type, board.intervals.by_type, asking.by_type if asking else {}, {})
    return sorted(rows, key=lambda row: (-row.value, row.name))


def scores_figure(rows: list[ScoreRow]) -> ChartFigure:
    description = "; ".join(f"{row.name} {number(row.value)} {interval(row.interval)}" for row in rows)
    chart = IntervalChart(
        "Scores with 95 % intervals beside baselines",
        description,
        [row.drawn for row in rows],
        "this run, 95 %",
        BASELINES,
    )
    return ChartFigure(chart.drawing, "Intervals are from 1,000 resamples of the claims.", _table(rows))


def types_figure(rows: list[ScoreRow]) -> ChartFigure:
    drawn = [IntervalRow(row.name, row.value, *row.interval, (row.asking,)) for row in rows]
    description = "; ".join(f"{row.name} {number(row.value)}" for row in rows)
    chart = IntervalChart("Score by claim type", description, drawn, "this run, 95 %", BASELINES[:1])
    caption = "Mean Q+A of the claims of a type, counted as 0 if it is not above .25; the verdict has no effect."
    head, cells = HEAD[:4], [row.cells[:4] for row in rows]
    return ChartFigure(chart.drawing, caption, DataTable("Score by claim type", head, cells))


def published_rows() -> list[PublishedRow]:
    return [PublishedRow(one.name, one.source, tuple(_estimate(estimate) for estimate in one[2:])) for one in PUBLISHED]


def own_row(rows: list[ScoreRow], name: str) -> PublishedRow:
    """Return the scores of this run as a row for the table of published systems."""
    return PublishedRow(name, "this run", tuple(_estimate(Estimate(row.value, *row.interval)) for row in rows))


def _estimate(one: Estimate) -> tuple[str, str]:
    return number(one.value), f"{one.low:.3f} to {one.high:.3f}"


def _rows(
    values: Mapping[str, float | None],
    intervals: Mapping[str, Interval | None],
    asking: Mapping[str, float | None],
    refuted: Mapping[str, float | None],
) -> list[ScoreRow]:
    rows = []
    for name, value in values.items():
        between = intervals[name]
        if value is not None and between is not None:
            rows.append(ScoreRow(name, value, between, asking.get(name), refuted.get(name)))
    return rows


def _table(rows: list[ScoreRow]) -> DataTable:
    cells = [(FULL_NAMES.get(row.name, row.name), *row.cells[1:]) for row in rows]
    return DataTable("Scores, intervals and baselines", HEAD, cells)


def _or_dash(value: float | None) -> str:
    return "–" if value is None else number(value)  # noqa: RUF001 - a dash in an empty cell
