"""Docstrings of records, split into a description of the record and one of each field."""

import inspect
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec
from msgspec.inspect import Field, StructType, Type, multi_type_info

FIELD = re.compile(r"^(`\w+`(?:, `\w+`)*): ", re.MULTILINE)  # line of a docstring that describes fields


class RecordText(NamedTuple):
    """Docstring of a record.

    `about`: what is said of the whole record.
    `fields`: name of a field -> what is said of it.
    """

    about: str
    fields: dict[str, str]


def record_text(docstring: str) -> RecordText:
    """Split a docstring. The text of a field ends where the next field or paragraph begins."""
    about: list[str] = []
    fields: dict[str, str] = {}
    for paragraph in inspect.cleandoc(docstring).split("\n\n"):
        before, *described = FIELD.split(paragraph)
        about.append(_one_line(before))
        for names, text in zip(described[::2], described[1::2], strict=True):
            fields |= {name: _one_line(text) for name in re.findall(r"\w+", names)}
    return RecordText(" ".join(text for text in about if text), fields)


def field_texts(record: type[msgspec.Struct]) -> dict[str, str]:
    """Return what the docstrings of a record and of the records that it extends say of fields, by JSON name."""
    texts: dict[str, str] = {}
    for one in reversed(record.__mro__):
        texts |= record_text(one.__doc__ or "").fields if issubclass(one, msgspec.Struct) else {}
    return {field.encode_name: texts[field.name] for field in msgspec.structs.fields(record) if field.name in texts}


def records_within(types: Iterable[type]) -> dict[str, type[msgspec.Struct]]:
    """Return name -> record for the types that are records, and for all records in their fields."""
    records: dict[str, type[msgspec.Struct]] = {}

    def collect(part: Any) -> None:
        if isinstance(part, StructType):
            if part.cls.__name__ in records:
                return
            records[part.cls.__name__] = part.cls
        if isinstance(part, (Type, Field)):
            collect(msgspec.structs.astuple(part))
        elif isinstance(part, tuple):
            for one in part:
                collect(one)

    collect(tuple(multi_type_info(types)))
    return records


def _one_line(text: str) -> str:
    return " ".join(text.split())
