"""Service behind the rating page, independent of HTTP. Every invalid request raises InputError."""

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
    """What an annotator may rate now.

    `rated` has, for each position in the annotator's order, True if it is rated; `message` is shown on the page.
    """

    annotator: str
    stage: Stage
    message: str
    guide: Guide
    rated: list[bool]


class Laid(msgspec.Struct, frozen=True):
    """The explanation at a position, its hash, and the errors that the annotator ticked in it (None: not rated)."""

    hash: str
    shown: Shown
    errors: list[list[ErrorType]] | None


class Sent(msgspec.Struct, frozen=True):
    """A rating as the page sends it; `hash` identifies the explanation that was shown."""

    annotator: str
    place: int
    hash: str
    errors: list[list[ErrorType]]
    seconds: Seconds = 0.0


class RatingService:
    """Service for one study and its file of ratings."""

    def __init__(self, course: Course, file: RatingsFile) -> None:
        """Create the service.

        Raises: InputError if a type of error has no definition.
        """
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
        """Save the rating, once for each method with this text.

        Raises: InputError if the request is invalid, OutputError if the file cannot be written.
        """
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
        """Return the annotator's own counts over the whole file, all methods together.

        The counts of others, or of single methods, would influence further ratings.
        """
        return own(list(self._file.kept.values()), annotator_name(name))

    def _opening(self, annotator: str) -> Opening:
        return self._course.opening(annotator, list(self._file.kept.values()))

    def _seconds(self, annotator: str, item: Item, sent: Sent) -> float:
        """Return the time of this view and of earlier ones."""
        before = self._file.kept.get((annotator, item))
        return added(before.seconds if before else 0.0, sent.seconds)

    def _errors(self, annotator: str, task: Task) -> list[list[ErrorType]] | None:
        """Return the annotator's ticks; None unless the rating is saved for all methods with this text."""
        found = [self._file.kept.get((annotator, item)) for item in task.items]
        known = [one.errors for one in found if one is not None]
        return known[-1] if len(known) == len(found) else None


def _task(found: Opening, place: int) -> Task:
    if not found.tasks:
        raise InputError("nothing is open to you here; load the page again", field="place")
    if not 0 <= place < len(found.tasks):
        raise InputError(f"{place}; the places are 0 to {len(found.tasks) - 1}", field="place")
    return found.tasks[place]
