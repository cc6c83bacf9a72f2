"""Service behind the rating page, independent of HTTP, and the guide to the types of errors.

The guide has the nine types of errors, each with its definition and an example written for this project. Every invalid
request raises InputError.
"""

import re
from pathlib import Path

import msgspec
from msgspec import UNSET

from src.annotating.annotator import Seconds, Stage, added, annotator_name
from src.errors import InputError
from src.explanation.annotation.ratings import Rating, RatingsFile, Shown
from src.explanation.annotation.study import Course, Opening, Task
from src.explanation.annotation.summary import Counted, own
from src.explanation.records import Item
from src.explanation.typology import MADR_TYPES, ErrorType
from src.prompts import load
from src.store import read_json

TYPOLOGY = "madr_typology"  # prompt with the definitions
EXAMPLES = Path(__file__).parent / "examples.json"
PAGE = Path(__file__).parent / "page"


class _Example(msgspec.Struct, frozen=True):
    type: ErrorType
    sentence: str
    why: str


class _Examples(msgspec.Struct, frozen=True):
    """Examples of all types of errors; each is a sentence about the same claim, verdict and evidence."""

    claim: str
    verdict: str
    evidence: list[str]
    examples: list[_Example]


class GuideEntry(msgspec.Struct, frozen=True):
    """A type of error in the guide; `why` explains what is wrong in the sentence `example`."""

    code: ErrorType
    name: str
    definition: str
    example: str
    why: str


class Guide(msgspec.Struct, frozen=True):
    """Guide to the types of errors; `claim`, `verdict` and `evidence` are those that all its examples are about."""

    kinds: list[GuideEntry]
    claim: str
    verdict: str
    evidence: list[str]


def guide() -> Guide:
    """Return the guide. Its definitions are copied from the prompt of the debating agents.

    Raises InputError if a type has no definition or no example.
    """
    text = load(TYPOLOGY).template
    contents = read_json(EXAMPLES, _Examples)
    examples = {one.type: one for one in contents.examples}
    if missing := [kind for kind in MADR_TYPES if kind not in examples]:
        raise InputError(f"has no example of {missing[0]}", path=EXAMPLES)
    kinds = [
        GuideEntry(kind, kind.full_name, _definition(kind, text), examples[kind].sentence, examples[kind].why)
        for kind in MADR_TYPES
    ]
    return Guide(kinds, contents.claim, contents.verdict, contents.evidence)


def _definition(kind: ErrorType, text: str) -> str:
    match = re.search(rf"^{kind} {kind.full_name}: (.+)$", text, re.MULTILINE)
    if match is None:
        raise InputError(f"does not define {kind} {kind.full_name}", path=f"src/prompts/{TYPOLOGY}.md")
    return match[1]


class Opened(msgspec.Struct, frozen=True):
    """Response to an annotator who opens the page: what may be rated now.

    `stage`: qualification round, study, or nothing.
    `message`: text for the top of the page.
    `guide`: guide to the types of errors.
    `rated`: for each task, in the annotator's order, True if the annotator has rated it.
    """

    annotator: str
    stage: Stage
    message: str
    guide: Guide
    rated: list[bool]


class OpenTask(msgspec.Struct, frozen=True):
    """One explanation to rate.

    `hash`: hash of everything that is shown; the page sends it back with the rating.
    `shown`: the explanation with its claim and evidence.
    `errors`: types that the annotator ticked in each sentence; None if it is not rated.
    """

    hash: str
    shown: Shown
    errors: list[list[ErrorType]] | None


class SentRating(msgspec.Struct, frozen=True):
    """A rating as the page sends it.

    `place`: index (from 0) of the explanation in the annotator's order.
    `hash`: hash of the explanation that was shown.
    `errors`: ticked types for each sentence.
    `seconds`: time from showing to saving.
    """

    annotator: str
    place: int
    hash: str
    errors: list[list[ErrorType]]
    seconds: Seconds = 0.0


class RatingService:
    """Service that shows the explanations of one study and saves their ratings to a file."""

    def __init__(self, course: Course, file: RatingsFile) -> None:
        """Create the service.

        Raises InputError if a type of error has no definition.
        """
        self._course, self._file, self._guide = course, file, guide()

    def study(self, name: str) -> Opened:
        annotator = annotator_name(name)
        opening = self._opening(annotator)
        rated = [self._errors(annotator, task) is not None for task in opening.tasks]
        return Opened(annotator, opening.stage, opening.message, self._guide, rated)

    def task(self, name: str, place: int) -> OpenTask:
        annotator = annotator_name(name)
        task = _task(self._opening(annotator), place)
        return OpenTask(task.shown.text.hash, task.shown, self._errors(annotator, task))

    def rate(self, sent: SentRating) -> None:
        """Save a rating as one record for each method that wrote the rated text.

        Raises InputError if the request is invalid, OutputError if the file cannot be written.
        """
        annotator = annotator_name(sent.annotator)
        opening = self._opening(annotator)
        task = _task(opening, sent.place)
        text = task.shown.text
        if sent.hash != text.hash:
            raise InputError("there is another explanation at this place now; load the page again", field="hash")
        if len(sent.errors) != text.sentences:
            raise InputError(f"{len(sent.errors)} lists of types for {text.sentences} sentences", field="errors")
        errors: list[list[ErrorType]] = [[kind for kind in MADR_TYPES if kind in ticked] for ticked in sent.errors]
        seat = UNSET if opening.seat is None else opening.seat
        self._file.add(
            [
                Rating(annotator, item[1], item[0], text.hash, errors, self._seconds(annotator, item, sent), seat)
                for item in task.items
            ]
        )

    def summary(self, name: str) -> Counted:
        """Return the counts of the annotator's own ratings, all methods together.

        Counts of other annotators or of single methods could influence the next ratings, so they are not shown.
        """
        return own(list(self._file.answers.values()), annotator_name(name))

    def _opening(self, annotator: str) -> Opening:
        return self._course.opening(annotator, list(self._file.answers.values()))

    def _seconds(self, annotator: str, item: Item, sent: SentRating) -> float:
        """Return the seconds that the annotator has spent on an explanation: the saved seconds plus those of this
        rating.
        """
        before = self._file.answers.get((annotator, item))
        return added(before.seconds if before else 0.0, sent.seconds)

    def _errors(self, annotator: str, task: Task) -> list[list[ErrorType]] | None:
        """Return the types that the annotator ticked in each sentence of the task's text; None unless a rating is saved
        for every method that wrote this text.
        """
        ratings = [self._file.answers.get((annotator, item)) for item in task.items]
        known = [one.errors for one in ratings if one is not None]
        return known[-1] if len(known) == len(ratings) else None


def _task(opening: Opening, place: int) -> Task:
    if not opening.tasks:
        raise InputError("nothing is open to you here; load the page again", field="place")
    if not 0 <= place < len(opening.tasks):
        raise InputError(f"{place}; the places are 0 to {len(opening.tasks) - 1}", field="place")
    return opening.tasks[place]
