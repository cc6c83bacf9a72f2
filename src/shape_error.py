"""Readable errors of the JSON decoder: file, line, field, and the accepted values."""

import re
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import inspect

from src.errors import InputError

_BOUNDS = {"<=": "at most", ">=": "at least", "<": "below", ">": "above"}
_PARTS = {"str": "characters", "array": "items"}


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
    elif message == "Input data was truncated":
        message = "the JSON ends too early"
    elif bound := re.fullmatch(r"Expected `(?:int|float)` ([<>]=?) (\S+)", message):
        message = f"must be {_BOUNDS[bound[1]]} {bound[2].removesuffix('.0')}"
    elif length := re.fullmatch(r"Expected `(str|array)` of length ([<>]=) (\d+)", message):
        message = f"must have {_BOUNDS[length[2]]} {length[3]} {_PARTS[length[1]]}"
    elif message.startswith("Invalid enum value") and (choices := _choices(type_, field)):
        message = f"{message.removeprefix('Invalid enum value ')} is none of {', '.join(choices)}"
    elif unknown := re.fullmatch(r"Object contains unknown field `(.*)`", message, re.DOTALL):
        known = [name for one in _types_at(type_, field) if isinstance(one, inspect.StructType) for name in _names(one)]
        field = f"{field}.{unknown[1]}" if field else unknown[1]
        message = f"there is no such field; known are: {', '.join(known)}" if known else "there is no such field"
    return InputError(message, path=path, line=line, field=field)


def _choices(type_: object, field: str) -> list[str]:
    """Return the allowed values of an enumeration field such as `evidence[0].answer_type`."""
    return [
        str(one.value) for kind in _types_at(type_, field) if isinstance(kind, inspect.EnumType) for one in kind.cls
    ]


def _types_at(type_: object, field: str) -> list[inspect.Type]:
    """Return the types that a field such as `evidence[0].answer_type` may have."""
    types = [inspect.type_info(type_)]
    for name in re.findall(r"\w+|\[", re.sub(r"\[[^\]]*\]", "[", field)):
        types = [inner for one in _alternatives(types) for inner in _inside(one, name)]
    return _alternatives(types)


def _names(record: inspect.StructType) -> list[str]:
    return [field.encode_name for field in record.fields]


def _alternatives(types: Iterable[inspect.Type]) -> list[inspect.Type]:
    plain = [type_.type if isinstance(type_, inspect.Metadata) else type_ for type_ in types]
    if not any(isinstance(type_, inspect.UnionType) for type_ in plain):
        return plain
    inner = [type_.types if isinstance(type_, inspect.UnionType) else (type_,) for type_ in plain]
    return _alternatives(one for types in inner for one in types)


def _inside(type_: inspect.Type, name: str) -> list[inspect.Type]:
    """Return the types of the field `name` of a struct, or of the items of a list or map if `name` is `[`."""
    if isinstance(type_, inspect.StructType):
        return [field.type for field in type_.fields if field.encode_name == name]
    if isinstance(type_, inspect.ListType | inspect.VarTupleType) and name == "[":
        return [type_.item_type]
    if isinstance(type_, inspect.TupleType) and name == "[":
        return list(type_.item_types)
    if isinstance(type_, inspect.DictType) and name == "[":
        return [type_.value_type]
    return []
