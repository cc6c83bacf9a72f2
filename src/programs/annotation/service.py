"""Service of the page on which people classify wrong predictions; its web application and its guide for annotators.

The guide defines the five error classes of ProgramFC's table 2, each with an example of our own. `ClassService` is
independent of HTTP. Every error in a request is an InputError.
"""

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import msgspec
from starlette.types import ASGIApp

from src.annotating.annotator import Seconds, Stage, added, annotator_name
from src.annotating.answers_file import AnswersFile
from src.annotating.app import app as annotating
from src.errors import InputError
from src.programs.annotation.classes import Classification, ProgramId, Shown, read_classifications
from src.programs.scoring.error_classes import ErrorClass
from src.store import read_json


class ClassesFile(AnswersFile[Classification]):
    """File of the error classes that annotators chose, one choice a line.

    `hashes` maps the id of each program to the hash of what is shown of it now. Opening the file raises InputError when
    a line cannot be read, or when a program has changed since it was classified.
    """

    def __init__(self, path: Path, hashes: Mapping[ProgramId, str]) -> None:
        super().__init__(path, lambda data: read_classifications(data, path, hashes))


EXAMPLES = Path(__file__).parent / "examples.json"


class Guide(msgspec.Struct, frozen=True):
    """An error class in the guide for annotators.

    `definition`: what the class means.
    `claim`, `program`: an example of a claim, and the lines of a program for it that has such an error.
    `why`: an explanation of the error.
    """

    error_class: ErrorClass = msgspec.field(name="class")
    definition: str
    claim: str
    program: list[str]
    why: str


def guide() -> list[Guide]:
    """Return the guide's entry of each error class, in the order of ProgramFC's table 2.

    Raises InputError when a class has no example.
    """
    by_class = {one.error_class: one for one in read_json(EXAMPLES, list[Guide])}
    if missing := [one for one in ErrorClass if one not in by_class]:
        raise InputError(f"has no example of {missing[0]}", path=EXAMPLES)
    return [by_class[one] for one in ErrorClass]


Note = Annotated[str, msgspec.Meta(max_length=2000)]


class AnnotatorState(msgspec.Struct, frozen=True):
    """What the page shows when an annotator opens it: the guide, and which programs are classified.

    `rated`: one entry per program, in the order in which this annotator sees them; True if it is classified.
    """

    annotator: str
    stage: Stage
    message: str
    guide: list[Guide]
    rated: list[bool]


class ProgramView(msgspec.Struct, frozen=True):
    """A program on the annotator's page.

    `hash`: hash of the program as shown; the page sends it back with the class.
    `shown`: what the annotator sees.
    `error_class`: the class that the annotator chose; None if there is none yet.
    `note`: the annotator's note.
    """

    hash: str
    shown: Shown
    error_class: ErrorClass | None = msgspec.field(name="class")
    note: str


class ClassificationRequest(msgspec.Struct, frozen=True):
    """Request of the page that stores the class of a program.

    `place`: index (from 0) of the program in the order in which this annotator sees them.
    `hash`: hash of the program that was shown.
    `note`: the annotator's reason; by default empty.
    `seconds`: time that the annotator took.
    """

    annotator: str
    place: int
    hash: str
    error_class: ErrorClass = msgspec.field(name="class")
    note: Note = ""
    seconds: Seconds = 0.0


class AnnotatorCounts(msgspec.Struct, frozen=True):
    """Number of programs that one annotator has classified, in all and by class."""

    annotator: str
    programs: int
    by_class: dict[ErrorClass, int]


class ClassService:
    """Service that shows the sampled programs to annotators and stores the classes they choose.

    Each annotator sees the programs in another order, which `seed` and the annotator's name fix.
    """

    def __init__(self, programs: Sequence[Shown], file: ClassesFile, seed: int) -> None:
        self._programs, self._file, self._seed, self._guide = programs, file, seed, guide()

    def study(self, name: str) -> AnnotatorState:
        annotator = annotator_name(name)
        rated = [(annotator, one.of) in self._file.answers for one in self._order(annotator)]
        return AnnotatorState(annotator, Stage.STUDY, "", self._guide, rated)

    def task(self, name: str, place: int) -> ProgramView:
        annotator = annotator_name(name)
        program = self._at(annotator, place)
        saved = self._file.answers.get((annotator, program.of))
        chosen = (None, "") if saved is None else (saved.error_class, saved.note)
        return ProgramView(program.hash, program, *chosen)

    def rate(self, sent: ClassificationRequest) -> None:
        """Store the class that an annotator chose in the file.

        The time of an earlier choice for the same program is added to that of the request. Raises InputError when the
        request is wrong, and OutputError when the file cannot be written.
        """
        annotator = annotator_name(sent.annotator)
        program = self._at(annotator, sent.place)
        if sent.hash != program.hash:
            raise InputError("the program at this place has changed; load the page again", field="hash")
        before = self._file.answers.get((annotator, program.of))
        seconds = added(before.seconds if before else 0.0, sent.seconds)
        note = sent.note.strip()
        self._file.add([Classification(annotator, *program.of, program.hash, sent.error_class, note, seconds)])

    def summary(self, name: str) -> AnnotatorCounts:
        """Return how many programs the annotator has classified, in all and by class.

        The counts of other annotators are not shown, because they would influence this one. Raises InputError when the
        annotator has classified nothing.
        """
        annotator = annotator_name(name)
        own = Counter(one.error_class for one in self._file.answers.values() if one.annotator == annotator)
        if not own:
            raise InputError("has classified nothing yet", field="annotator")
        return AnnotatorCounts(annotator, own.total(), {one: own[one] for one in ErrorClass})

    def _order(self, annotator: str) -> list[Shown]:
        """Return the programs in the annotator's own random order."""
        return random.Random(f"{self._seed} {annotator}").sample(self._programs, len(self._programs))

    def _at(self, annotator: str, place: int) -> Shown:
        order = self._order(annotator)
        if not 0 <= place < len(order):
            raise InputError(f"{place}; the places are 0 to {len(order) - 1}", field="place")
        return order[place]


PAGE = Path(__file__).parent / "page"


def app(service: ClassService) -> ASGIApp:
    """Return the web application of the service."""
    return annotating(service, ClassificationRequest, PAGE)
