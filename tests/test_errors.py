"""Error messages: one line that includes the location."""

import pytest

from src.errors import ClaimError, FatalError, InputError, StoreError, locate, one_line


@pytest.mark.parametrize(
    ("path", "line", "field", "text"),
    [
        ("dev.json", 3, "label", "dev.json, line 3, field label: unknown verdict"),
        ("dev.json", None, "label", "dev.json, field label: unknown verdict"),
        ("dev.json", 1, "", "dev.json, line 1: unknown verdict"),
        (None, None, "label", "field label: unknown verdict"),
        (None, None, "", "unknown verdict"),
    ],
)
def test_only_the_known_parts_of_a_location_are_shown(
    path: str | None, line: int | None, field: str, text: str
) -> None:
    assert locate("unknown verdict", path=path, line=line, field=field) == text
    assert str(InputError("unknown verdict", path=path, line=line, field=field)) == text


def test_a_message_of_many_lines_becomes_one() -> None:
    assert str(InputError("bad\n  thing\t\there", path="x")) == "x: bad thing here"
    assert one_line("\na\r\nb\n") == "a b"


def test_what_stops_a_run_is_no_claim_error() -> None:
    assert issubclass(InputError, FatalError)
    assert not issubclass(FatalError, ClaimError)
    assert not issubclass(StoreError, FatalError)
