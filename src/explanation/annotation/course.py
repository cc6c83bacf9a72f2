"""Course of a drawn study: qualification rounds, then a seat with its claims; and the author's course."""

from collections.abc import Sequence
from typing import NamedTuple

from msgspec import UNSET

from src.annotating.stage import Stage
from src.errors import InputError
from src.explanation.annotation.key import ByText, Key, by_text
from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.screening import by_annotator, rounds_done, screened
from src.explanation.annotation.study import Opening, ordered
from src.explanation.annotation.study_file import StudyFile
from src.runner.console import how_many

FAILED = "Thank you. Your answers differ too often from those of the study's author; nothing more is open to you."
FULL = "Thank you, you have qualified. All places of this study are taken; nothing is open to you now."


class AuthorCourse(NamedTuple):
    """Course of the study's author: everything is open, rounds and controls first."""

    study: StudyFile

    def opening(self, annotator: str, kept: Sequence[Rating]) -> Opening:
        tasks = [*self.study.keyed, *self.study.real]
        counted = how_many(len(self.study.keyed), "explanation")
        message = f"You are making the key: the first {counted} must be rated. "
        message += "What you rate of the others shows how far annotators agree with you."
        return Opening(Stage.STUDY, tasks, message)


class DrawnCourse:
    """Course of an annotator: qualification, then the claims of a seat.

    An annotator who has rated all controls `at_start` and failed them loses the seat.
    """

    def __init__(self, study: StudyFile, key: Key, at_start: Sequence[Rating]) -> None:
        self._study, self._key = study, key
        found = screened(study, key, at_start)
        self._out = {one.annotator for one in found if one.finished_controls and not one.counts}

    def opening(self, annotator: str, kept: Sequence[Rating]) -> Opening:
        """Return what the annotator may rate now.

        Raises: InputError if the name is the author's.
        """
        if annotator == self._key.author:
            raise InputError("is the author's name; the key has those answers", field="annotator")
        own = by_text(one for one in kept if one.annotator == annotator)
        done = rounds_done(self._study, self._key, own)
        if any(one < self._study.pass_at for one in done) or annotator in self._out:
            return Opening(Stage.CLOSED, [], FAILED)
        if len(done) < len(self._study.rounds):
            return self._round(len(done), annotator)
        seat = self._seats(annotator, kept).get(annotator)
        if seat is None:
            return Opening(Stage.CLOSED, [], FULL)
        tasks = ordered(self._study.of_seat(seat), self._study.seed, annotator)
        return Opening(Stage.STUDY, tasks, f"You have qualified. {how_many(len(tasks), 'explanation')} follow.", seat)

    def _round(self, at: int, annotator: str) -> Opening:
        tasks = ordered([self._study.rounds[at]], self._study.seed, annotator)
        message = f"Qualification, round {at + 1} of {len(self._study.rounds)}: {how_many(len(tasks), 'explanation')} "
        message += "that the author of the study has rated, too. If you agree often enough, you go on. "
        return Opening(Stage.QUALIFICATION, tasks, message + "After the last one of the round nothing can be changed.")

    def _seats(self, annotator: str, kept: Sequence[Rating]) -> dict[str, int]:
        """Return the seat of each annotator: the one in their ratings, else the first free one, in the order of
        passing.
        """
        own = by_annotator(kept)
        own.setdefault(annotator, [])  # needed if there are no rounds
        taken = {name: one.seat for name, found in own.items() for one in found if one.seat is not UNSET}
        last = {one.annotator: place for place, one in enumerate(kept)}
        for name in sorted(own.keys() - taken.keys() - self._out, key=lambda one: last.get(one, len(kept))):
            held = {seat for other, seat in taken.items() if other not in self._out}
            free = [seat for seat in range(self._study.annotators) if seat not in held]
            if free and self._has_passed(by_text(own[name])):
                taken[name] = free[0]
        return taken

    def _has_passed(self, own: ByText) -> bool:
        done = rounds_done(self._study, self._key, own)
        return len(done) == len(self._study.rounds) and all(one >= self._study.pass_at for one in done)
