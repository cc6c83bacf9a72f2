"""Limits of the server."""

import msgspec

from src.report.server.schemas import MOST_URLS


class Limits(msgspec.Struct, frozen=True):
    """Limits of one server.

    `seconds` for one check, `waiting` checks in the queue, `urls` of a claim, `kept` checks in the history.
    """

    seconds: float = 300.0
    waiting: int = 20
    urls: int = MOST_URLS
    kept: int = 500
