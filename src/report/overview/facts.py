"""Facts of a run: claims, labels, evidence, and the models of its steps."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from src.evaluation.cells import share
from src.report.run.run import Run
from src.runner.claim_range import in_words
from src.runner.console import how_many

REVISION = 10  # digits of a revision that are shown


class Fact(NamedTuple):
    term: str
    said: str


def facts(run: Run, split: str, labels: str) -> list[Fact]:
    """Return the facts; `labels` says where the labels are from, or why there are none."""
    ids = [one.claim_id for one in run.predictions]
    pieces = sum(len(one.evidence) for one in run.predictions)
    found = [
        Fact("Split", split),
        Fact("Claims", f"{len(ids):,} ({in_words(ids)})"),
        Fact("Labels", labels),
        Fact("Evidence", f"{how_many(pieces, 'question-answer pair')}, {pieces / len(ids):.1f} a claim"),
    ]
    found += [Fact("Explanations", said) for said in _explained(run)]
    revisions = sorted({(one.manifest.revision or "unknown")[:REVISION] for one in run.steps})
    return [*found, *_models(run), *([Fact("Revision of the code", ", ".join(revisions))] if revisions else [])]


def model_names(model: Any) -> list[str]:
    """Return the names in a manifest's description of a model, at any depth, each with its adapter."""
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
    told = [one for one in run.explanations.values() if (one.explanation or "").strip()]
    if told:
        marked, checked = sum(map(bool, run.findings.values())), len(run.findings)
        findings = f"; of {checked:,} checked {marked:,} with findings ({share(marked / checked)} %)" if checked else ""
        yield f"{len(told):,}{findings}"
