"""What annotators of programs ask for and hand in, and what is refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.errors import InputError
from src.programs.annotation.classes import sample_errors
from src.programs.annotation.service import ClassesFile, ClassificationRequest, ClassService, guide
from src.programs.scoring.error_classes import ErrorClass
from tests.programs.annotation.wrong import world

PROGRAMS = sample_errors(*world(12), 100, 0, {})


@pytest.fixture
def service(tmp_path: Path) -> Iterator[ClassService]:
    with ClassesFile(tmp_path / "c.jsonl", {}) as file:
        yield ClassService(PROGRAMS, file, 0)


def sent(service: ClassService, at: int, chosen: ErrorClass, **changed: Any) -> ClassificationRequest:
    return msgspec.structs.replace(
        ClassificationRequest("ann", at, service.task("ann", at).hash, chosen, seconds=2.0), **changed
    )


def test_a_class_can_be_changed_and_its_seconds_add_up(service: ClassService) -> None:
    service.rate(sent(service, 1, ErrorClass.TOKEN))
    service.rate(sent(service, 1, ErrorClass.SUBTASK, note=" a step too many "))
    laid = service.task("ann", 1)
    assert (laid.error_class, laid.note) == (ErrorClass.SUBTASK, "a step too many")
    assert service.study("ann").rated == [False, True, False, False, False, False]
    assert service.study("bob").rated == [False] * 6
    assert service.summary("ann").by_class[ErrorClass.SUBTASK] == service.summary("ann").programs == 1
    with pytest.raises(InputError, match="field annotator: has classified nothing yet"):
        service.summary("bob")
    (saved,) = service._file.answers.values()
    assert saved.seconds == 4.0


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"hash": "0"}, "field hash: the program at this place has changed"),
        ({"place": 6}, "field place: 6; the places are 0 to 5"),
        ({"annotator": "<b>"}, "field annotator: a name has 1 to 40"),
    ],
)
def test_what_does_not_fit_is_refused(service: ClassService, changed: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        service.rate(sent(service, 0, ErrorClass.TOKEN, **changed))
    assert not service._file.answers


def test_every_class_has_a_definition_and_an_example() -> None:
    entries = guide()
    assert [one.error_class for one in entries] == list(ErrorClass)
    assert all(one.definition and one.claim and one.program and one.why for one in entries)
