"""What annotators ask for and hand in, without a word of HTTP. All that is wrong with a request is an InputError."""

import msgspec
from msgspec import UNSET

from src.annotating.names import annotator_name
from src.annotating.seconds import Seconds, added
from src.annotating.stage import Stage
from src.errors import InputError
from src.explanation.annotation.guide import Guide, guide
from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.ratings_file import RatingsFile
from src.explanation.annotation.shown import Shown
from src.explanation.annotation.study import Course, Opening, Task
from src.explanation.annotation.summary import Counted, own
from src.explanation.records import Item
from src.explanation.typology import MADR_TYPES, ErrorType


class Opened(msgspec.Struct, frozen=True):
    """`rated` says of each place in the annotator's order whether it is done; `message` is for people."""

    annotator: str
    stage: Stage
    message: str
    guide: Guide
    rated: list[bool]


class Laid(msgspec.Struct, frozen=True):
    """The explanation at a place, its hash, and what the annotator ticked in it, None before that."""

    hash: str
    shown: Shown
    errors: list[list[ErrorType]] | None


class Sent(msgspec.Struct, frozen=True):
    """A rating as the page sends it; `hash` says which explanation it showed."""

    annotator: str
    place: int
    hash: str
    errors: list[list[ErrorType]]
    seconds: Seconds = 0.0


class RatingService:
    """One study and its file."""

    def __init__(self, course: Course, file: RatingsFile) -> None:
        """Raises InputError where a type of error has no definition."""
        self._course, self._file, self._guide = course, file, guide()

    def opened(self, name: str) -> Opened:
        annotator = annotator_name(name)
        found = self._opening(annotator)
        rated = [self._errors(annotator, task) is not None for task in found.tasks]
        return Opened(annotator, found.stage, found.message, self._guide, rated)

    def laid(self, name: str, place: int) -> Laid:
        annotator = annotator_name(name)
        task = _task(self._opening(annotator), place)
        return Laid(task.shown.text.hash, task.shown, self._errors(annotator, task))

    def rate(self, sent: Sent) -> None:
        """The rating is on the disk for each method that gave this text. Raises OutputError, too."""
        annotator = annotator_name(sent.annotator)
        found = self._opening(annotator)
        task = _task(found, sent.place)
        text = task.shown.text
        if sent.hash != text.hash:
            raise InputError("another explanation stands here by now; load the page again", field="hash")
        if len(sent.errors) != text.sentences:
            raise InputError(f"{len(sent.errors)} lists of types for {text.sentences} sentences", field="errors")
        errors: list[list[ErrorType]] = [[kind for kind in MADR_TYPES if kind in ticked] for ticked in sent.errors]
        seat = UNSET if found.seat is None else found.seat
        self._file.add(
            [
                Rating(annotator, item[1], item[0], text.hash, errors, self._seconds(annotator, item, sent), seat)
                for item in task.items
            ]
        )

    def summary(self, name: str) -> Counted:
        """The annotator's own, in all of the file, methods together: who has seen what others tick, or which method is
        which, no longer rates without regard to it.
        """
        return own(list(self._file.kept.values()), annotator_name(name))

    def _opening(self, annotator: str) -> Opening:
        return self._course.opening(annotator, list(self._file.kept.values()))

    def _seconds(self, annotator: str, item: Item, sent: Sent) -> float:
        """Of this look and those before."""
        before = self._file.kept.get((annotator, item))
        return added(before.seconds if before else 0.0, sent.seconds)

    def _errors(self, annotator: str, task: Task) -> list[list[ErrorType]] | None:
        """None unless all methods that gave this text have the rating."""
        found = [self._file.kept.get((annotator, item)) for item in task.items]
        known = [one.errors for one in found if one is not None]
        return known[-1] if len(known) == len(found) else None


def _task(found: Opening, place: int) -> Task:
    if not found.tasks:
        raise InputError("nothing is open to you here; load the page again", field="place")
    if not 0 <= place < len(found.tasks):
        raise InputError(f"{place}; the places are 0 to {len(found.tasks) - 1}", field="place")
    return found.tasks[place]
