"""Screening of annotators in a drawn study, by their agreement with the ratings of the study's author (the key).

Annotators first rate the claims of the qualification rounds. Those who pass all rounds get a seat, that is, a set of
claims to rate. Control claims are mixed among these; annotators who agree too little with the key on the controls are
not scored. The author rates the claims of rounds and controls beforehand.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import msgspec
from msgspec import UNSET

from src.annotating.annotator import Stage
from src.annotating.answers_file import read_whole
from src.errors import InputError
from src.explanation.annotation.ratings import Rating, read_ticked
from src.explanation.annotation.study import Opening, StudyFile, Task, ordered
from src.runner.console import how_many

FEW = 3  # least sentences with an error in a round; with two, each changes the agreement by a quarter
ByText = Mapping[str, Rating]
"""Ratings by one person: hash of the explanation -> rating."""


class Key(NamedTuple):
    """Ratings by the study's author, with which the ratings of annotators are compared.

    `author`: name of the author; empty if there are no ratings.
    `ratings`: hash of the explanation -> rating. Has all explanations of the qualification rounds and of the control
        claims (claims mixed into the study to test annotators), and may have others.
    """

    author: str
    ratings: ByText


def read_key(path: Path, study: StudyFile) -> Key:
    """Return the author's ratings from a file.

    Raises InputError if the file has ratings of several people, or lacks a rating of an explanation in a qualification
    round or of a control claim.
    """
    ratings = read_ticked(read_whole(path), path, study.texts())
    names = {one.annotator for one in ratings}
    if len(names) > 1:
        raise InputError(f"a key is of one author, this one of {', '.join(sorted(names))}", path=path)
    by_hash = by_text(ratings)
    if missing := [task for task in study.keyed if task.shown.text.hash not in by_hash]:
        message = f"{len(missing)} of {how_many(len(study.keyed), 'explanation')} of the key are not rated"
        raise InputError(f"{message}; go on with: annotate --study FILE --author -o {path}", path=path)
    return Key(next(iter(names), ""), by_hash)


def by_text(ratings: Iterable[Rating]) -> ByText:
    return {one.explanation: one for one in ratings}


def weak_rounds(study: StudyFile, key: Key) -> list[str]:
    """Return a warning for each qualification round in which fewer than FEW sentences have an error in the key."""
    lines = []
    for at, tasks in enumerate(study.rounds, start=1):
        ratings = (key.ratings[task.shown.text.hash] for task in tasks)
        faulty = sum(bool(ticked) for one in ratings for ticked in one.errors)
        if faulty < FEW:
            what = "a single slip decides it" if faulty else "who ticks nothing passes it"
            lines.append(f"round {at} has {how_many(faulty, 'sentence')} with an error in the key: {what}")
    return lines


def agreement(tasks: Sequence[Task], own: ByText, key: ByText) -> float | None:
    """Return how well a person's ticks find the sentences that have an error in the key, from 0 to 1 (balanced
    accuracy).

    This is the mean of two shares. The first is over sentences with an error in the key: those in which the person
    ticked any error. The second is over sentences without one: those in which the person ticked none. The result is 0.5
    if the person ticks every sentence or no sentence. If the key has only one kind of sentence, only its share is
    returned. None if the person rated none of the tasks. `own` and `key` are the ratings of the person and of the
    author.
    """
    hashes = [task.shown.text.hash for task in tasks]
    both = [(key[one], own[one]) for one in hashes if one in own and one in key]
    pairs = [
        (bool(expected), bool(ticked)) for k, o in both for expected, ticked in zip(k.errors, o.errors, strict=True)
    ]
    sides = [[ticked is kind for expected, ticked in pairs if expected is kind] for kind in (True, False)]
    shares = [mean(side) for side in sides if side]
    return mean(shares) if shares else None


class Screened(msgspec.Struct, frozen=True):
    """Result of an annotator's screening.

    `rounds`: for each qualification round that is rated completely, agreement with the key, from 0 to 1.
    `qualified`: True if the annotator passed all rounds.
    `controls`: number of rated control explanations.
    `control`: agreement with the key on the rated controls; None if no control is rated.
    `finished_controls`: True if all controls are rated.
    `counts`: True if the annotator's ratings are scored.
    """

    annotator: str
    rounds: list[float]
    qualified: bool
    controls: int
    control: float | None
    finished_controls: bool
    counts: bool


def screened(study: StudyFile, key: Key, ratings: Iterable[Rating]) -> list[Screened]:
    """Return the screening of each annotator, ordered by their first ratings."""
    return [_screened(study, key, name, by_text(own)) for name, own in by_annotator(ratings).items()]


def by_annotator(ratings: Iterable[Rating]) -> dict[str, list[Rating]]:
    groups: dict[str, list[Rating]] = defaultdict(list)
    for one in ratings:
        groups[one.annotator].append(one)
    return dict(groups)


def rounds_done(study: StudyFile, key: Key, own: ByText) -> list[float]:
    """Return one agreement with the key for each qualification round that an annotator has completed.

    `own`: the annotator's ratings.
    """
    agreements = []
    for tasks in study.rounds:
        if not is_rated(tasks, own):
            break
        agreements.append(agreement(tasks, own, key.ratings) or 0.0)
    return agreements


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


FAILED = "Thank you. Your answers differ too often from those of the study's author; nothing more is open to you."
FULL = "Thank you, you have qualified. All places of this study are taken; nothing is open to you now."


class AuthorCourse(NamedTuple):
    """Rule for the study's author: all explanations may be rated, first those of qualification rounds and control
    claims.
    """

    study: StudyFile

    def opening(self, annotator: str, ratings: Sequence[Rating]) -> Opening:
        tasks = [*self.study.keyed, *self.study.real]
        counted = how_many(len(self.study.keyed), "explanation")
        message = f"You are making the key: the first {counted} must be rated. "
        message += "What you rate of the others shows how far annotators agree with you."
        return Opening(Stage.STUDY, tasks, message)


class DrawnCourse:
    """Rule for an annotator: first the qualification rounds, then the claims of a seat.

    `at_start` has the ratings when the server starts. An annotator who by then has rated all control claims, but agrees
    too little with the key on them, loses the seat.
    """

    def __init__(self, study: StudyFile, key: Key, at_start: Sequence[Rating]) -> None:
        self._study, self._key = study, key
        results = screened(study, key, at_start)
        self._out = {one.annotator for one in results if one.finished_controls and not one.counts}

    def opening(self, annotator: str, ratings: Sequence[Rating]) -> Opening:
        """Return the tasks that the annotator may rate now; `ratings` are all ratings in the file.

        Raises InputError if the name is the author's.
        """
        if annotator == self._key.author:
            raise InputError("is the author's name; the key has those answers", field="annotator")
        own = by_text(one for one in ratings if one.annotator == annotator)
        done = rounds_done(self._study, self._key, own)
        if any(one < self._study.pass_at for one in done) or annotator in self._out:
            return Opening(Stage.CLOSED, [], FAILED)
        if len(done) < len(self._study.rounds):
            return self._round(len(done), annotator)
        seat = self._seats(annotator, ratings).get(annotator)
        if seat is None:
            return Opening(Stage.CLOSED, [], FULL)
        tasks = ordered(self._study.of_seat(seat), self._study.seed, annotator)
        return Opening(Stage.STUDY, tasks, f"You have qualified. {how_many(len(tasks), 'explanation')} follow.", seat)

    def _round(self, at: int, annotator: str) -> Opening:
        tasks = ordered([self._study.rounds[at]], self._study.seed, annotator)
        message = f"Qualification, round {at + 1} of {len(self._study.rounds)}: {how_many(len(tasks), 'explanation')} "
        message += "that the author of the study has rated, too. If you agree often enough, you go on. "
        return Opening(Stage.QUALIFICATION, tasks, message + "After the last one of the round nothing can be changed.")

    def _seats(self, annotator: str, ratings: Sequence[Rating]) -> dict[str, int]:
        """Return the seat (index from 0) of each annotator who has one.

        It is the seat in the annotator's ratings. Other annotators who passed the rounds get the lowest free seats, in
        the order in which they finished the rounds.
        """
        own = by_annotator(ratings)
        own.setdefault(annotator, [])  # needed if there are no rounds
        taken = {name: one.seat for name, rated in own.items() for one in rated if one.seat is not UNSET}
        last = {one.annotator: place for place, one in enumerate(ratings)}
        for name in sorted(own.keys() - taken.keys() - self._out, key=lambda one: last.get(one, len(ratings))):
            held = {seat for other, seat in taken.items() if other not in self._out}
            free = [seat for seat in range(self._study.annotators) if seat not in held]
            if free and self._has_passed(by_text(own[name])):
                taken[name] = free[0]
        return taken

    def _has_passed(self, own: ByText) -> bool:
        done = rounds_done(self._study, self._key, own)
        return len(done) == len(self._study.rounds) and all(one >= self._study.pass_at for one in done)
