"""Annotation service, independent of HTTP. Every error in a request is an InputError."""

import random
from collections import Counter
from collections.abc import Sequence
from typing import Annotated

import msgspec

from src.annotating.annotator import Seconds, Stage, added, annotator_name
from src.errors import InputError
from src.programs.annotation.classes import Classed
from src.programs.annotation.classes_file import ClassesFile
from src.programs.annotation.guide import Guide, guide
from src.programs.annotation.shown import Shown
from src.programs.scoring.error_classes import ErrorClass

Note = Annotated[str, msgspec.Meta(max_length=2000)]


class Opened(msgspec.Struct, frozen=True):
    """The state of an annotator. `rated` says for each place in the annotator's order if it is done."""

    annotator: str
    stage: Stage
    message: str
    guide: list[Guide]
    rated: list[bool]


class Laid(msgspec.Struct, frozen=True):
    """The program at a place, its hash, and the annotator's class and note. The class is None if there is none yet."""

    hash: str
    shown: Shown
    error_class: ErrorClass | None = msgspec.field(name="class")
    note: str


class Sent(msgspec.Struct, frozen=True):
    """A class as the page sends it; `hash` identifies the program that was shown."""

    annotator: str
    place: int
    hash: str
    error_class: ErrorClass = msgspec.field(name="class")
    note: Note = ""
    seconds: Seconds = 0.0


class Own(msgspec.Struct, frozen=True):
    """The counts of one annotator."""

    annotator: str
    programs: int
    by_class: dict[ErrorClass, int]


class ClassService:
    """The drawn programs and the file of their classes."""

    def __init__(self, programs: Sequence[Shown], file: ClassesFile, seed: int) -> None:
        self._programs, self._file, self._seed, self._guide = programs, file, seed, guide()

    def opened(self, name: str) -> Opened:
        annotator = annotator_name(name)
        rated = [(annotator, one.of) in self._file.kept for one in self._order(annotator)]
        return Opened(annotator, Stage.STUDY, "", self._guide, rated)

    def laid(self, name: str, place: int) -> Laid:
        annotator = annotator_name(name)
        program = self._at(annotator, place)
        kept = self._file.kept.get((annotator, program.of))
        said = (None, "") if kept is None else (kept.error_class, kept.note)
        return Laid(program.hash, program, *said)

    def rate(self, sent: Sent) -> None:
        """Store the class on disk. Raises InputError when the request is wrong, and OutputError when the write
        fails."""
        annotator = annotator_name(sent.annotator)
        program = self._at(annotator, sent.place)
        if sent.hash != program.hash:
            raise InputError("another program stands here by now; load the page again", field="hash")
        before = self._file.kept.get((annotator, program.of))
        seconds = added(before.seconds if before else 0.0, sent.seconds)
        note = sent.note.strip()
        self._file.add([Classed(annotator, *program.of, program.hash, sent.error_class, note, seconds)])

    def summary(self, name: str) -> Own:
        """Return the annotator's counts. Those of others are not shown, because they would influence the annotator."""
        annotator = annotator_name(name)
        own = Counter(one.error_class for one in self._file.kept.values() if one.annotator == annotator)
        if not own:
            raise InputError("has classed nothing yet", field="annotator")
        return Own(annotator, own.total(), {one: own[one] for one in ErrorClass})

    def _order(self, annotator: str) -> list[Shown]:
        """Return the programs in an order drawn for the annotator."""
        return random.Random(f"{self._seed} {annotator}").sample(self._programs, len(self._programs))

    def _at(self, annotator: str, place: int) -> Shown:
        order = self._order(annotator)
        if not 0 <= place < len(order):
            raise InputError(f"{place}; the places are 0 to {len(order) - 1}", field="place")
        return order[place]
