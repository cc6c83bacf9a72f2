"""Screening of annotators: who qualified, and whose ratings count."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

import msgspec

from src.explanation.annotation.key import ByText, Key, agreement, by_text
from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.study import Task
from src.explanation.annotation.study_file import StudyFile


class Screened(msgspec.Struct, frozen=True):
    """An annotator's agreement with the key: in each completely rated round, and on the controls rated so far.

    `control` is None if no control is rated. `counts` is True if the ratings are scored.
    """

    annotator: str
    rounds: list[float]
    qualified: bool
    controls: int
    control: float | None
    finished_controls: bool
    counts: bool


def screened(study: StudyFile, key: Key, ratings: Iterable[Rating]) -> list[Screened]:
    """Return one record per annotator, in the order of their first ratings."""
    return [_screened(study, key, name, by_text(own)) for name, own in by_annotator(ratings).items()]


def by_annotator(ratings: Iterable[Rating]) -> dict[str, list[Rating]]:
    found: dict[str, list[Rating]] = defaultdict(list)
    for one in ratings:
        found[one.annotator].append(one)
    return dict(found)


def rounds_done(study: StudyFile, key: Key, own: ByText) -> list[float]:
    """Return the agreement in each completely rated round, up to the first incomplete one."""
    found = []
    for tasks in study.rounds:
        if not is_rated(tasks, own):
            break
        found.append(agreement(tasks, own, key.ratings) or 0.0)
    return found


def is_rated(tasks: Sequence[Task], own: ByText) -> bool:
    return all(task.shown.text.hash in own for task in tasks)


def _screened(study: StudyFile, key: Key, name: str, own: ByText) -> Screened:
    rounds = rounds_done(study, key, own)
    qualified = len(rounds) == len(study.rounds) and all(one >= study.pass_at for one in rounds)
    controls = [task for block in study.controls for task in block]
    control = agreement(controls, own, key.ratings)
    is_checked = not controls or (control is not None and control >= study.exclude_below)
    return Screened(
        annotator=name,
        rounds=rounds,
        qualified=qualified,
        controls=sum(task.shown.text.hash in own for task in controls),
        control=control,
        finished_controls=is_rated(controls, own),
        counts=qualified and is_checked,
    )
