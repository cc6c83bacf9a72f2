"""Lookup of a name in a table of models or retrievers."""

from collections.abc import Mapping
from typing import TypeVar

from src.errors import InputError

Entry = TypeVar("Entry")


def named(table: Mapping[str, Entry], name: str, what: str) -> Entry:
    """Return the entry. Raises InputError that lists the known names; `what` is the kind of thing named."""
    if name not in table:
        raise InputError(f"{name!r} is not a {what}; known are: {', '.join(table)}")
    return table[name]
