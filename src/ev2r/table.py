"""Scores of Ev2R as tables of text."""

from collections.abc import Callable
from typing import Any

from src.ev2r.scores import FIGURES, Ev2RScores, JudgeInfo, Means, ProxyScores
from src.ev2r.texts import Inputs
from src.evaluation.tables import Section, interval, number

TITLES = {
    "question_recall": "question recall",
    "question_precision": "question precision",
    "question_f1": "question F1",
    "evidence_recall": "evidence recall",
    "evidence_precision": "evidence precision",
    "evidence_f1": "evidence F1",
    "averitec_above_half": "AVeriTeC score, recall > .5",
    "averitec_at_least_half": "AVeriTeC score, recall >= .5",
    "accuracy": "accuracy",
}
OFFICIAL = {
    Inputs.HUGGING_FACE: "Hugging Face, whose official threshold is recall > .5",
    Inputs.EVALAI: "EvalAI, whose official threshold is recall >= .5",
}
NOT_COMPARABLE = (
    "Scores of different judges are not comparable. The official judge is Llama-3.3-70B; no other one replaces it."
)


def sections(result: Ev2RScores) -> list[Section]:
    """Return the tables: the scores, with the judge in the title, and the proxy's if there are any."""
    columns = [("score", _cells(result, number))]
    if result.intervals:
        columns.append(("95 % interval", _cells(result.intervals, interval)))
    if result.baselines:
        columns.append(("always Refuted", _cells(result.baselines.always_refuted, number)))
        if asking := result.baselines.claim_as_question:
            columns.append(("claim as question", _cells(asking, number)))
    rows = [["", *(title for title, _ in columns)]]
    rows += [[TITLES[name], *(cells[name] for _, cells in columns)] for name in FIGURES]
    return [Section(_title(result), rows, _notes(result)), *([proxy_section(result.proxy)] if result.proxy else [])]


def _cells(means: Means[Any], show: Callable[[Any], str]) -> dict[str, str]:
    values = {name: getattr(means, name) for name in FIGURES}
    return {name: "not applicable" if value is None else show(value) for name, value in values.items()}


def _title(result: Ev2RScores) -> str:
    return f"Ev2R, judge {judge_name(result.judge)}: {result.scored} of {result.n} claims scored"


def judge_name(judge: JudgeInfo) -> str:
    """Return how a judge is named beside its scores: as the user named it, and its model if that is not the same."""
    return judge.judge if judge.name in judge.judge else f"{judge.judge} ({judge.name})"


def _notes(result: Ev2RScores) -> list[str]:
    """Return what was left out, and how the judge was asked."""
    notes = [f"Inputs as on {OFFICIAL[result.judge.inputs]}.", NOT_COMPARABLE]
    if left := result.unparseable + result.call_failed:
        reasons = [one.judgment.reason for one in result.claims if not one.is_scored]
        notes.append(
            f"Not scored, and in no mean: {left} (unreadable after a second request {result.unparseable}, "
            f"failed {result.call_failed}). The first: {reasons[0]}"
        )
    if result.no_evidence:
        notes.append(f"Without predicted evidence, recall 0: {result.no_evidence}")
    if result.counts_differ:
        notes.append(f"Claims for which the judge wrote other counts than its lists have: {result.counts_differ}")
    if result.lists_differ:
        notes.append(f"Claims for which the judge listed more or fewer questions than there are: {result.lists_differ}")
    asked = result.baselines.claim_as_question_scored if result.baselines else 0
    if 0 < asked < result.scored:
        notes.append(f"Claim as question: means over {asked} of these claims; for the others, no answer can be used")
    return notes


def proxy_section(proxy: ProxyScores) -> Section:
    """Return the table of the proxy's scores, with the columns that were requested."""
    columns = [("", ["accuracy", "macro-F1"]), ("score", [number(proxy.accuracy), number(proxy.macro_f1)])]
    if proxy.accuracy_interval and proxy.macro_f1_interval:
        columns.append(("95 % interval", [interval(proxy.accuracy_interval), interval(proxy.macro_f1_interval)]))
    if proxy.always_refuted_accuracy is not None and proxy.always_refuted_macro_f1 is not None:
        baseline = [number(proxy.always_refuted_accuracy), number(proxy.always_refuted_macro_f1)]
        columns.append(("always Refuted", baseline))
    rows = [[title for title, _ in columns], *map(list, zip(*(cells for _, cells in columns), strict=True))]
    return Section(f"Proxy: verdict model {proxy.model} on the predicted evidence, against the gold labels", rows)
