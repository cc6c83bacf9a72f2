"""JSON decoder of the project: returns the value or raises `msgspec.DecodeError`, for any bytes.

Limitations: at most `MOST_LEVELS` nested lists and objects, so that recursive code does not overflow the stack.
"""

import re
from itertools import accumulate
from threading import Lock
from typing import Any, TypeVar

import msgspec

MOST_LEVELS = 200
_TOO_DEEP = f"more than {MOST_LEVELS} lists or objects are nested; is it the right file?"
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_OPEN, _NO_BRACKET = b"[{", bytes(byte for byte in range(256) if byte not in b"[]{}")

_DECODERS: dict[object, msgspec.json.Decoder[Any]] = {}  # creating one takes longer than decoding a short text

_MAKING = Lock()  # two threads that describe one type to msgspec at the same time can end the process

T = TypeVar("T")


def decode(data: bytes | str | msgspec.Raw, type_: type[T]) -> T:
    """Return the value of one JSON text, as an object of `type_`.

    Raises msgspec.DecodeError for invalid JSON, and its subclass msgspec.ValidationError for JSON of another shape.
    """
    try:
        value: T = _decoder(type_).decode(data)
    except RecursionError:
        raise msgspec.DecodeError(_TOO_DEEP) from None
    except UnicodeError as error:
        raise msgspec.DecodeError(f"is not UTF-8: {error}") from None
    if _levels(data) > MOST_LEVELS:
        raise msgspec.DecodeError(_TOO_DEEP)
    return value


def _decoder(type_: object) -> msgspec.json.Decoder[Any]:
    with _MAKING:
        if type_ not in _DECODERS:
            _DECODERS[type_] = msgspec.json.Decoder(type_)
        return _DECODERS[type_]


def _levels(data: bytes | str | msgspec.Raw) -> int:
    """Return the nesting depth of lists and objects, or 0 if there are too few brackets to exceed the limit."""
    text = data.encode() if isinstance(data, str) else bytes(data)
    if text.count(b"[") + text.count(b"{") <= MOST_LEVELS:
        return 0
    brackets = _STRING.sub(b"", text).translate(None, _NO_BRACKET)
    return max(accumulate(1 if byte in _OPEN else -1 for byte in brackets), default=0)
