"""Guide for annotators: the five classes, each with a definition and an example of ours."""

from pathlib import Path

import msgspec

from src.errors import InputError
from src.programs.scoring.error_classes import ErrorClass
from src.store import read_json

EXAMPLES = Path(__file__).parent / "examples.json"


class Guide(msgspec.Struct, frozen=True):
    """A class in the guide; `why` explains the error in the `program` for the `claim`."""

    error_class: ErrorClass = msgspec.field(name="class")
    definition: str
    claim: str
    program: list[str]
    why: str


def guide() -> list[Guide]:
    """Return the classes in the order of the paper's table. Raises InputError when one is missing."""
    found = {one.error_class: one for one in read_json(EXAMPLES, list[Guide])}
    if missing := [one for one in ErrorClass if one not in found]:
        raise InputError(f"has no example of {missing[0]}", path=EXAMPLES)
    return [found[one] for one in ErrorClass]
