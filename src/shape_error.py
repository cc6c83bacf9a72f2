"""Readable errors of the JSON decoder: file, line, field, and the accepted values."""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import inspect

from src.errors import InputError


def shape_error(error: msgspec.DecodeError, path: Path, line: int, type_: object) -> InputError:
    """Return an error of the JSON decoder as an InputError that names the field; `type_` is the expected type."""
    message, _, place = str(error).partition(" - at ")
    field = re.sub(r"^(?:`key` in )?`\$?\.?|`$", "", place)
    if missing := re.fullmatch(r"Object missing required field `(\w+)`", message):
        field = f"{field}.{missing[1]}" if field else missing[1]
        message = "missing"
    elif message.startswith("Expected `str` matching regex"):
        message = "is empty"
    elif message == "Expected `str`, got `array`":
        message = "is a list, where one text is wanted"
    elif message == "Invalid RFC3339 encoded date":
        message = "is no date such as 2024-01-30"
    elif message.startswith("Invalid enum value") and (choices := _choices(type_, field)):
        message = f"{message.removeprefix('Invalid enum value ')} is none of {', '.join(choices)}"
    return InputError(message, path=path, line=line, field=field)


def _choices(type_: object, field: str) -> list[str]:
    """Return the allowed values of an enumeration field such as `evidence[0].answer_type`."""
    types = [inspect.type_info(type_)]
    for name in re.findall(r"\w+|\[", re.sub(r"\[[^\]]*\]", "[", field)):
        types = [inner for one in _alternatives(types) for inner in _inside(one, name)]
    return [
        str(one.value) for type_ in _alternatives(types) if isinstance(type_, inspect.EnumType) for one in type_.cls
    ]


def _alternatives(types: Iterable[inspect.Type]) -> list[inspect.Type]:
    return [
        alternative
        for type_ in types
        for alternative in (type_.types if isinstance(type_, inspect.UnionType) else (type_,))
    ]


def _inside(type_: inspect.Type, name: str) -> list[inspect.Type]:
    """Return the types of the field `name` of a struct, or of the items of a list or map if `name` is `[`."""
    if isinstance(type_, inspect.StructType):
        return [field.type for field in type_.fields if field.encode_name == name]
    if isinstance(type_, inspect.ListType | inspect.VarTupleType) and name == "[":
        return [type_.item_type]
    if isinstance(type_, inspect.DictType) and name == "[":
        return [type_.value_type]
    return []
