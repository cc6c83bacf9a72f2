"""What annotators ask for and hand in, without a word of HTTP. All that is wrong with a request is an InputError."""

import re
import unicodedata

import msgspec

from src.errors import InputError
from src.explanation.annotation.ratings import MOST_SECONDS, Rating, Seconds
from src.explanation.annotation.ratings_file import RatingsFile
from src.explanation.annotation.shown import Shown
from src.explanation.annotation.study import Study, Task
from src.explanation.annotation.summary import Counted, own
from src.explanation.records import Item
from src.explanation.typology import MADR_TYPES, ErrorType
from src.prompts import load

TYPOLOGY = "madr_typology"  # the prompt


class Kind(msgspec.Struct, frozen=True):
    """A type of error as annotators read it."""

    code: ErrorType
    name: str
    definition: str


class Opened(msgspec.Struct, frozen=True):
    """`rated` says of each place in the annotator's order whether it is done."""

    annotator: str
    kinds: list[Kind]
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


class Desk:
    """One study and its file."""

    def __init__(self, study: Study, file: RatingsFile) -> None:
        """Raises InputError where a type of error has no definition."""
        self._study, self._file, self._kinds = study, file, kinds()

    def opened(self, name: str) -> Opened:
        annotator = annotator_name(name)
        order = self._study.order(annotator)
        return Opened(annotator, self._kinds, [self._errors(annotator, task) is not None for task in order])

    def laid(self, name: str, place: int) -> Laid:
        annotator = annotator_name(name)
        task = self._task(annotator, place)
        return Laid(task.shown.text.hash, task.shown, self._errors(annotator, task))

    def rate(self, sent: Sent) -> None:
        """The rating is on the disk for each method that gave this text. Raises OutputError, too."""
        annotator = annotator_name(sent.annotator)
        task = self._task(annotator, sent.place)
        text = task.shown.text
        if sent.hash != text.hash:
            raise InputError("another explanation stands here by now; load the page again", field="hash")
        if len(sent.errors) != text.sentences:
            raise InputError(f"{len(sent.errors)} lists of types for {text.sentences} sentences", field="errors")
        errors: list[list[ErrorType]] = [[kind for kind in MADR_TYPES if kind in ticked] for ticked in sent.errors]
        seconds = {item: self._seconds(annotator, item, sent) for item in task.items}
        self._file.add(
            [Rating(annotator, item[1], item[0], text.hash, errors, spent) for item, spent in seconds.items()]
        )

    def summary(self, name: str) -> Counted:
        """The annotator's own, in all of the file, methods together: who has seen what others tick, or which method is
        which, no longer rates without regard to it.
        """
        return own(list(self._file.kept.values()), annotator_name(name))

    def _task(self, annotator: str, place: int) -> Task:
        order = self._study.order(annotator)
        if not 0 <= place < len(order):
            raise InputError(f"{place}; the places are 0 to {len(order) - 1}", field="place")
        return order[place]

    def _seconds(self, annotator: str, item: Item, sent: Sent) -> float:
        """Of this look and those before, to a tenth."""
        before = self._file.kept.get((annotator, item))
        return min(round((before.seconds if before else 0.0) + sent.seconds, 1), MOST_SECONDS)

    def _errors(self, annotator: str, task: Task) -> list[list[ErrorType]] | None:
        """None unless all methods that gave this text have the rating."""
        found = [self._file.kept.get((annotator, item)) for item in task.items]
        known = [one.errors for one in found if one is not None]
        return known[-1] if len(known) == len(found) else None


def annotator_name(text: str) -> str:
    """The name, spaces single. Raises InputError."""
    name = " ".join(unicodedata.normalize("NFC", text).split())
    if not re.fullmatch(r"\w[\w .'-]{0,39}", name):
        message = "a name has 1 to 40 letters, digits, spaces and . ' - _, of which a letter or digit stands first"
        raise InputError(message, field="annotator")
    return name


def kinds() -> list[Kind]:
    """The nine, defined in the words that the agents of a debate read. Raises InputError where one is not."""
    text = load(TYPOLOGY).template
    return [Kind(kind, kind.full_name, _definition(kind, text)) for kind in MADR_TYPES]


def _definition(kind: ErrorType, text: str) -> str:
    found = re.search(rf"^{kind} {kind.full_name}: (.+)$", text, re.MULTILINE)
    if found is None:
        raise InputError(f"does not define {kind} {kind.full_name}", path=f"src/prompts/{TYPOLOGY}.md")
    return found[1]
