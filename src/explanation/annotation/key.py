"""The author's key: ratings of the qualification rounds and controls, with which annotators are compared."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

from src.annotating.lines import read_whole
from src.errors import InputError
from src.explanation.annotation.ratings import Rating, read_ticked
from src.explanation.annotation.study import Task
from src.explanation.annotation.study_file import StudyFile
from src.runner.console import how_many

FEW = 3  # sentences with an error; with two, each changes a round's agreement by a quarter
ByText = Mapping[str, Rating]
"""One person's ratings by the hash of the explanation."""


class Key(NamedTuple):
    """The author's ratings; `ratings` also has those of explanations to be scored."""

    author: str
    ratings: ByText


def read_key(path: Path, study: StudyFile) -> Key:
    """Return the key in a file.

    Raises: InputError if several people rated, or an explanation of a round or control is not rated.
    """
    found = read_ticked(read_whole(path), path, study.texts())
    names = {one.annotator for one in found}
    if len(names) > 1:
        raise InputError(f"a key is of one author, this one of {', '.join(sorted(names))}", path=path)
    ratings = by_text(found)
    if missing := [task for task in study.keyed if task.shown.text.hash not in ratings]:
        message = f"{len(missing)} of {how_many(len(study.keyed), 'explanation')} of the key are not rated"
        raise InputError(f"{message}; go on with: annotate --study FILE --author -o {path}", path=path)
    return Key(next(iter(names), ""), ratings)


def by_text(ratings: Iterable[Rating]) -> ByText:
    return {one.explanation: one for one in ratings}


def weak_rounds(study: StudyFile, key: Key) -> list[str]:
    """Return a line for each round with fewer than FEW sentences that have an error in the key."""
    lines = []
    for at, tasks in enumerate(study.rounds, start=1):
        ratings = (key.ratings[task.shown.text.hash] for task in tasks)
        faulty = sum(bool(ticked) for one in ratings for ticked in one.errors)
        if faulty < FEW:
            what = "a single slip decides it" if faulty else "who ticks nothing passes it"
            lines.append(f"round {at} has {how_many(faulty, 'sentence')} with an error in the key: {what}")
    return lines


def agreement(tasks: Sequence[Task], own: ByText, key: ByText) -> float | None:
    """Return how well a person's ticks find the sentences with errors, 0 to 1; 0.5 if nothing or everything is ticked.

    The mean of two shares: sentences with an error in the key in which the person ticked any, and sentences without one
    in which the person ticked none. If the key has sentences of one kind only, the share of that kind. None if the
    person rated none of the tasks.
    """
    hashes = [task.shown.text.hash for task in tasks]
    both = [(key[one], own[one]) for one in hashes if one in own and one in key]
    pairs = [(bool(right), bool(said)) for k, o in both for right, said in zip(k.errors, o.errors, strict=True)]
    sides = [[said is kind for right, said in pairs if right is kind] for kind in (True, False)]
    shares = [mean(side) for side in sides if side]
    return mean(shares) if shares else None
