"""Lookup of a name in a table of models or retrievers."""

from collections.abc import Mapping
from typing import TypeVar

from src.errors import InputError

Entry = TypeVar("Entry")


def named(table: Mapping[str, Entry], name: str, what: str) -> Entry:
    """Return the entry `name` of the table. Raises InputError with the known names if there is none.

    `what` is the noun for an entry in the message, such as `model`.
    """
    if name not in table:
        raise InputError(f"{name!r} is not a {what}; known are: {', '.join(table)}")
    return table[name]
