"""The error of a wrong record names its field and the accepted values."""

from enum import StrEnum
from pathlib import Path

import msgspec
import pytest

from src.records import NonBlank
from src.shape_error import shape_error


class Fruit(StrEnum):
    APPLE = "apple"
    PEAR = "pear"


class Bowl(msgspec.Struct):
    fruit: Fruit | None


class Table(msgspec.Struct):
    bowls: list[Bowl] = []
    pairs: tuple[Bowl, ...] | None = None
    owner: NonBlank = "Ann"
    by_name: dict[str, Fruit] = {}
    counts: dict[Fruit, int] = {}


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
    ],
)
def test_what_is_wrong_and_what_is_right(data: str, message: str) -> None:
    with pytest.raises(msgspec.ValidationError) as caught:
        msgspec.json.decode(data, type=Table)
    assert str(shape_error(caught.value, Path("t.json"), 3, Table)) == f"t.json, line 3, {message}"
