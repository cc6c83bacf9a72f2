"""A small drawn study, and people who rate it."""

from collections.abc import Callable, Sequence

from msgspec import UNSET

from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.screening import Key, by_text
from src.explanation.annotation.study import Plan, StudyFile, Task, drawn, study
from src.explanation.typology import ErrorType
from tests.explanation.annotation.explained import explained

NAMES = ["zero_shot", "madr"]
EE = ErrorType.EXTRINSIC_ENTITY
PLAN = Plan(sample=4, rounds=2, controls=1, annotators=3, annotators_per_claim=2, pass_at=0.7, exclude_below=0.7)
Ticks = Callable[[Task], list[list[ErrorType]]]


def claims(number: int = 12) -> StudyFile:
    """Return a study of claims whose explanations by `zero_shot` say twice what those by `madr` say once."""
    texts = [[explained(n, f"Eels swim {n}. They fly.") for n in range(number)]]
    texts += [[explained(n, f"Eels swim {n}.") for n in range(number)]]
    return drawn(NAMES, study(NAMES, texts, 0).claims, PLAN, 0)


def right(task: Task) -> list[list[ErrorType]]:
    """Return the truth: eels do not fly."""
    return [[EE] if "fly" in one.text else [] for one in task.shown.sentences]


def wrong(task: Task) -> list[list[ErrorType]]:
    return [[] if ticked else [EE] for ticked in right(task)]


def nothing(task: Task) -> list[list[ErrorType]]:
    return [[] for _ in task.shown.sentences]


def rated(name: str, tasks: Sequence[Task], ticks: Ticks, seat: int | None = None) -> list[Rating]:
    return [
        Rating(name, claim_id, method, task.shown.text.hash, ticks(task), 1.0, UNSET if seat is None else seat)
        for task in tasks
        for method, claim_id in task.items
    ]


def key_of(study: StudyFile) -> Key:
    return Key("author", by_text(rated("author", study.keyed, right)))


def passed(study: StudyFile, name: str) -> list[Rating]:
    """Return the ratings of someone who agrees with the key in all rounds."""
    return rated(name, [task for tasks in study.rounds for task in tasks], right)


def seated(study: StudyFile, name: str, seat: int, ticks: Ticks = right) -> list[Rating]:
    """Return the ratings of someone who passed the rounds and rated all of the seat's claims."""
    tasks = [task for block in study.of_seat(seat) for task in block]
    return [*passed(study, name), *rated(name, tasks, ticks, seat)]
