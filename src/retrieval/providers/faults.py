"""Error answers of search servers: their effect on the run, and their message."""

import re
from enum import Enum, auto

import msgspec

from src.errors import one_line
from src.json_decoding import decode

SHOWN = 200  # characters of an answer in a message


class Fault(Enum):
    """Cause of an error answer: the key, the quota, a busy server, or the query."""

    KEY = auto()
    QUOTA = auto()
    BUSY = auto()
    QUERY = auto()


USUAL = {401: Fault.KEY, 402: Fault.QUOTA, 403: Fault.KEY, 429: Fault.BUSY}
_NO_REFUSAL = (404, 408, 429)  # not found, too slow, too many requests
_MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


class _Detail(msgspec.Struct):
    message: str = ""
    detail: str = ""


class _ErrorAnswer(msgspec.Struct):
    """The forms of providers' error answers."""

    error: _Detail | str | None = None
    errors: list[_Detail] = []
    message: str = ""


def is_refusal(status: int) -> bool:
    """Return True if the server rejects the request itself (4xx other than 404, 408, 429)."""
    return 400 <= status < 500 and status not in _NO_REFUSAL


def spoken(content: bytes, key: str) -> str:
    """Return an answer's error message: one short line, without markup and without the key."""
    text = _MARKUP.sub(" ", _message(content[:100_000]))
    return one_line(text.replace(key, "***") if key else text)[:SHOWN] or "(no message)"


def _message(content: bytes) -> str:
    try:
        answer = decode(content, _ErrorAnswer)
    except msgspec.DecodeError:
        return content.decode("utf-8", "replace")
    if isinstance(answer.error, str):
        return answer.error or answer.message
    details = [answer.error] if answer.error else answer.errors
    return "; ".join(filter(None, (detail.message or detail.detail for detail in details))) or answer.message
