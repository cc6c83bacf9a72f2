"""The error of a wrong record names its field and the accepted values."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec
import pytest
from msgspec import Meta

from src.records import NonBlank
from src.shape_error import shape_error


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"


class Bowl(msgspec.Struct):
    fruit: Fruit | None


class Closed(msgspec.Struct, forbid_unknown_fields=True):
    fruit: Fruit | None = None


class Table(msgspec.Struct):
    bowls: list[Bowl] = []
    pairs: tuple[Bowl, ...] | None = None
    owner: NonBlank = "Ann"
    by_name: dict[str, Fruit] = {}
    counts: dict[Fruit, int] = {}
    share: Annotated[float, Meta(gt=0, lt=1)] = 0.5
    seats: Annotated[int, Meta(ge=1, le=8)] = 4
    names: Annotated[list[Annotated[str, Meta(max_length=3)]], Meta(min_length=1)] = msgspec.field(default_factory=list)
    closed: Annotated[Closed, Meta(description="no more than this")] | None = None
    of_two: tuple[Closed, int] | None = None


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ('{"bowls": [{"fruit": "apple"}, {"fruit": "leek"}]}', "field bowls[1].fruit: 'leek' is none of apple, pear"),
        ('{"pairs": [{"fruit": "leek"}]}', "field pairs[0].fruit: 'leek' is none of apple, pear"),
        ('{"by_name": {"Ann": "leek"}}', "field by_name[...]: 'leek' is none of apple, pear"),
        ('{"counts": {"leek": 1}}', "field counts: Invalid enum value 'leek'"),
        ('{"bowls": [{}]}', "field bowls[0].fruit: missing"),
        ('{"owner": " "}', "field owner: is empty"),
        ('{"owner": ["Ann"]}', "field owner: is a list, where one text is wanted"),
        ('{"owner": 1}', "field owner: Expected `str`, got `int`"),
        ('{"share": 0}', "field share: must be above 0"),
        ('{"share": 1.5}', "field share: must be below 1"),
        ('{"seats": 0}', "field seats: must be at least 1"),
        ('{"seats": 9}', "field seats: must be at most 8"),
        ('{"names": []}', "field names: must have at least 1 items"),
        ('{"names": ["Anna"]}', "field names[0]: must have at most 3 characters"),
        ('{"closed": {"fig": 1}}', "field closed.fig: there is no such field; known are: fruit"),
        ('{"of_two": [{"a\\nb": 1}, 2]}', "field of_two[0].a\nb: there is no such field; known are: fruit"),
    ],
)
def test_what_is_wrong_and_what_is_right(data: str, message: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(data, type=Table)
    assert str(shape_error(caught.value, Path("t.json"), 3, Table)) == f"t.json, line 3, {message}"
