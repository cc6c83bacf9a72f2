"""Pages of a run: the overview with scores, costs and failures, and the list of its claims."""

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

import msgspec
from markupsafe import Markup

from src.evaluation.aggregate import FIGURES, confusion
from src.evaluation.averitec import ClaimScore
from src.evaluation.tables import share
from src.records import VERDICTS, Level, Prediction
from src.report.charts import Bar, BarChart, ChartFigure, DataTable
from src.report.judged import JudgedView
from src.report.rendering import Link, page
from src.report.run import Run, StepMade
from src.report.scores import (
    PublishedRow,
    Scored,
    main_rows,
    own_row,
    published_rows,
    scores_figure,
    type_rows,
    types_figure,
    why_not_comparable,
)
from src.report.verdicts import (
    ConfusionLine,
    calibration_figure,
    confusion_lines,
    level_table,
    risk_figure,
    threshold_figure,
    verdict_counts,
)
from src.runner.claim_range import in_words
from src.runner.console import duration, how_many
from src.runner.output import Failure

REVISION = 10  # digits of a revision that are shown
COUNTS = {"prompts": "Prompts", "calls": "Calls", "prompt_tokens": "Tokens read", "new_tokens": "Tokens written"}


class Fact(NamedTuple):
    """A line in the list of facts about a run: what it is, such as `Split`, and its value."""

    term: str
    text: str


class FailedStep(msgspec.Struct, frozen=True):
    """A step, a key of `src.report.run.STEPS`, with the claims that failed in it."""

    name: str
    failures: Sequence[Failure]


class Note(msgspec.Struct, frozen=True):
    """A note on a run, and the step or file that it is about; `all` for the whole run."""

    step: str
    text: str


class Costs(msgspec.Struct, frozen=True):
    """Costs of a run on its overview.

    `figure`: chart and table of the seconds of each step.
    `tokens_drawn`: chart of the tokens of each step; None if no language model was used.
    `seconds`: time of all steps, as text.
    `tokens`: tokens of all steps, as text.
    """

    figure: ChartFigure
    tokens_drawn: Markup | None
    seconds: str
    tokens: str


class Measured(msgspec.Struct, frozen=True):
    """Parts of the overview that need labels.

    `scores`: chart of the scores with their intervals and baselines.
    `judged`: scores by a judge (Ev2R); None if there are none.
    `confusion`: rows of the confusion matrix.
    `thresholds`: chart of the AVeriTeC score at every threshold.
    `calibration`: reliability diagram; None without probabilities.
    `risk`: risk-coverage curve; None without probabilities.
    `levels`: how often verdicts of each level are right; None if the verdicts have no levels.
    `by_type`: scores by claim type; None if no claim has a type.
    `published`: scores of published systems beside those of this run; empty if they are not comparable.
    `why_not`: why published scores are not comparable; empty if they are.
    """

    scores: ChartFigure
    judged: JudgedView | None
    confusion: Sequence[ConfusionLine]
    thresholds: ChartFigure
    calibration: ChartFigure | None
    risk: ChartFigure | None
    levels: DataTable | None
    by_type: ChartFigure | None
    published: Sequence[PublishedRow]
    why_not: str


class Overview(msgspec.Struct, frozen=True):
    """Contents of a run's overview page.

    `name`: name of the run.
    `facts`: split, number of claims, labels, models and so on.
    `measured`: parts that need labels; None if some claim has no label.
    `verdicts`: each verdict with the number of claims that got it and their share in percent.
    `costs`: time and tokens; None if no step has a manifest.
    `failures`: steps in which claims failed.
    `notes`: notes of the steps, and warnings.
    """

    name: str
    facts: Sequence[Fact]
    measured: Measured | None
    verdicts: Sequence[tuple[str, int, str]]
    costs: Costs | None
    failures: Sequence[FailedStep]
    notes: Sequence[Note]


class ListedClaim(msgspec.Struct, frozen=True):
    """A row in the list of claims. An undecided claim is scored by its most likely verdict.

    `gold`: gold label; None if unknown.
    `score`: Q+A score; None without a label.
    `types`: claim types.
    `findings`: number of findings in the explanation; None if it was not checked.
    `has_failed`: True if the claim failed in a step.
    `level`: level of the verdict; None if the verdict model has no levels.
    """

    claim_id: int
    claim: str
    verdict: str
    gold: str | None = None
    score: float | None = None
    types: tuple[str, ...] = ()
    findings: int | None = None
    has_failed: bool = False
    level: Level | None = None

    @property
    def is_right(self) -> bool | None:
        return None if self.gold is None else self.gold == self.verdict


def overview(run: Run, split: str, labels: str, scored: Scored | None, judged: JudgedView | None = None) -> Overview:
    """Return the contents of the run's overview.

    `labels` says where the labels are from, or why there are none. `scored` is None if some claim has no label, and
    `judged` if there are no scores by a judge.
    """
    return Overview(
        name=run.name,
        facts=facts(run, split, labels),
        measured=_measured(run, split, scored, judged) if scored else None,
        verdicts=verdict_counts(run),
        costs=costs(run.steps),
        failures=failed_steps(run),
        notes=notes(run),
    )


def overview_page(view: Overview, links: Sequence[Link]) -> str:
    return page("run.html", view=view, links=links, verdicts=VERDICTS, figures=FIGURES)


def _measured(run: Run, split: str, scored: Scored, judged: JudgedView | None) -> Measured:
    rows, types = main_rows(scored.board), type_rows(scored.board)
    why_not = why_not_comparable(run, split)
    return Measured(
        scores=scores_figure(rows),
        judged=judged,
        confusion=confusion_lines(confusion(scored.claims.values())),
        thresholds=threshold_figure(scored),
        calibration=calibration_figure(run),
        risk=risk_figure(run),
        levels=level_table(run),
        by_type=types_figure(types) if types else None,
        published=[] if why_not else [own_row(rows, run.name), *published_rows()],
        why_not=why_not,
    )


def facts(run: Run, split: str, labels: str) -> list[Fact]:
    """Return the facts about the run that the overview lists; `labels` says where the labels are from, or why there are
    none.
    """
    ids = [one.claim_id for one in run.predictions]
    pieces = sum(len(one.evidence) for one in run.predictions)
    known = [
        Fact("Split", split),
        Fact("Claims", f"{len(ids):,} ({in_words(ids)})"),
        Fact("Labels", labels),
        Fact("Evidence", f"{how_many(pieces, 'question-answer pair')}, {pieces / len(ids):.1f} a claim"),
    ]
    known += [Fact("Explanations", text) for text in _explained(run)]
    revisions = sorted({(one.manifest.revision or "unknown")[:REVISION] for one in run.steps})
    return [*known, *_models(run), *([Fact("Revision of the code", ", ".join(revisions))] if revisions else [])]


def model_names(model: Any) -> list[str]:
    """Return the names of models in a manifest's description, at any depth, each with the name of its adapter."""
    if not isinstance(model, dict):
        return [name for part in model for name in model_names(part)] if isinstance(model, list) else []
    if not isinstance(model.get("name"), str):
        return [name for part in model.values() for name in model_names(part)]
    adapter = (model.get("details") or {}).get("adapter")
    return [f"{model['name']} with {str(adapter).rpartition('/')[2]}" if adapter else model["name"]]


def _models(run: Run) -> Iterator[Fact]:
    for one in run.steps:
        names = list(dict.fromkeys(model_names(one.manifest.model)))
        if names:
            yield Fact(f"Model of {one.name}", ", ".join(names))


def _explained(run: Run) -> Iterator[str]:
    written = [one for one in run.explanations.values() if (one.explanation or "").strip()]
    if written:
        marked, checked = sum(map(bool, run.findings.values())), len(run.findings)
        findings = f"; of {checked:,} checked {marked:,} with findings ({share(marked / checked)} %)" if checked else ""
        yield f"{len(written):,}{findings}"


def failed_steps(run: Run) -> list[FailedStep]:
    """Return the steps in which claims of the run failed, each with the records of these claims' failures."""
    shown = {one.claim_id for one in run.predictions}
    steps = [FailedStep(step.name, [one for one in step.failures if one.claim_id in shown]) for step in run.steps]
    return [one for one in steps if one.failures]


def failed_claims(run: Run) -> Set[int]:
    """Return the claim_ids of the claims that failed in a step."""
    return {one.claim_id for step in failed_steps(run) for one in step.failures}


def notes(run: Run) -> list[Note]:
    """Return notes on the run: the manifests' notes, and warnings.

    Warnings are about steps that are not deterministic, explanations that are outdated, and steps that ran with
    different revisions of the code.
    """
    every = [Note(step.name, text) for step in run.steps for text in step.manifest.notes]
    every += [
        Note(step.name, "not deterministic: another run may give other results")
        for step in run.steps
        if not step.manifest.deterministic
    ]
    every += [
        Note(file, f"{how_many(count, 'claim')} had an explanation of another verdict or other evidence; not shown")
        for file, count in run.outdated.items()
    ]
    revisions = {(one.manifest.revision or "unknown").removesuffix("-dirty") for one in run.steps}
    if len(revisions) > 1:
        every.append(Note("all", f"the steps ran with several revisions of the code: {', '.join(sorted(revisions))}"))
    return every


def costs(steps: Sequence[StepMade]) -> Costs | None:
    """Return the costs of a run's steps; None if no step has a manifest."""
    if not steps:
        return None
    all_seconds, tokens = sum(one.seconds for one in steps), sum(one.tokens for one in steps)
    drawn = _drawn("Time by step", [Bar(one.name, one.seconds, duration(one.seconds)) for one in steps])
    used = [Bar(one.name, one.tokens, f"{one.tokens:,}") for one in steps if one.tokens]
    caption = "Time of a step's work over all starts; if that is not recorded, of its last start."
    return Costs(
        ChartFigure(drawn, caption, _table(steps)),
        _drawn("Tokens by step, read and written", used) if used else None,
        duration(all_seconds),
        f"{tokens:,}",
    )


def _drawn(title: str, bars: Sequence[Bar]) -> Markup:
    return BarChart(title, "; ".join(f"{one.name} {one.label}" for one in bars), bars).drawing


def _table(steps: Sequence[StepMade]) -> DataTable:
    there = [name for name in COUNTS if any(name in one.manifest.counts for one in steps)]
    head = ("Step", "Claims", "Seconds", "Seconds a claim", *(COUNTS[name] for name in there))
    return DataTable("Time, prompts and tokens by step", head, [_cost_row(one, there) for one in steps])


def _cost_row(one: StepMade, counts: Sequence[str]) -> tuple[str, ...]:
    claims = one.manifest.fingerprint.claims
    each = f"{one.seconds / claims:.3f}" if claims else "–"  # noqa: RUF001 - a dash in an empty cell
    known = one.manifest.counts
    counted = (f"{known[name]:,}" if name in known else "–" for name in counts)  # noqa: RUF001
    return (one.name, f"{claims:,}", f"{one.seconds:,.1f}", each, *counted)


def list_page(name: str, rows: Sequence[ListedClaim], links: Sequence[Link]) -> str:
    """Return the HTML of the list of claims, without columns that are empty for all claims."""
    return page(
        "claims.html",
        script="claims.js",
        name=name,
        rows=rows,
        links=links,
        verdicts=VERDICTS,
        types=sorted({one for row in rows for one in row.types}),
        levels=list(Level),
        has_levels=any(row.level for row in rows),
        has_gold=any(row.gold is not None for row in rows),
        has_findings=any(row.findings is not None for row in rows),
        has_failed=any(row.has_failed for row in rows),
    )


def listed(run: Run, scores: Mapping[int, ClaimScore], failed: Set[int]) -> list[ListedClaim]:
    """Return the rows of the list of claims. `scores` are those of labeled claims, `failed` the claim_ids that failed
    in a step.
    """
    return [_listed_claim(run, one, scores.get(one.claim_id), one.claim_id in failed) for one in run.predictions]


def _listed_claim(run: Run, one: Prediction, score: ClaimScore | None, has_failed: bool) -> ListedClaim:
    claim = run.claims.get(one.claim_id)
    label = claim.label if claim else None
    findings = run.findings.get(one.claim_id)
    return ListedClaim(
        claim_id=one.claim_id,
        claim=one.claim,
        verdict=str(one.pred_label),
        gold=None if label is None else str(label),
        score=None if score is None else score.question_answer,
        types=tuple(claim.claim_types) if claim else (),
        findings=None if findings is None else len(findings),
        has_failed=has_failed,
        level=one.level,
    )
