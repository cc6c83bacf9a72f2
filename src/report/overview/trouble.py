"""Failures of a run by step, and the notes of its steps."""

from collections.abc import Sequence, Set

import msgspec

from src.report.run.run import Run
from src.runner.console import how_many
from src.runner.output import Failure


class FailedStep(msgspec.Struct, frozen=True):
    name: str
    failures: Sequence[Failure]


class Note(msgspec.Struct, frozen=True):
    step: str
    said: str


def failed_steps(run: Run) -> list[FailedStep]:
    """Return the steps in which claims of this report failed."""
    shown = {one.claim_id for one in run.predictions}
    found = [FailedStep(step.name, [one for one in step.failures if one.claim_id in shown]) for step in run.steps]
    return [one for one in found if one.failures]


def failed_claims(run: Run) -> Set[int]:
    return {one.claim_id for step in failed_steps(run) for one in step.failures}


def notes(run: Run) -> list[Note]:
    """Return the manifests' notes, and notes on steps that used several revisions, are not deterministic, or are
    outdated.
    """
    found = [Note(step.name, said) for step in run.steps for said in step.manifest.notes]
    found += [
        Note(step.name, "not deterministic: run again, it may come out otherwise")
        for step in run.steps
        if not step.manifest.deterministic
    ]
    found += [
        Note(file, f"{how_many(count, 'claim')} explained with another verdict or other evidence; not shown")
        for file, count in run.outdated.items()
    ]
    revisions = {(one.manifest.revision or "unknown").removesuffix("-dirty") for one in run.steps}
    if len(revisions) > 1:
        found.append(Note("all", f"its steps ran at several revisions of the code: {', '.join(sorted(revisions))}"))
    return found
