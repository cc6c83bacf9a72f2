"""Parameters and responses of the API, except the claims sent to it."""

from datetime import UTC, datetime
from typing import Annotated

import msgspec
from msgspec.structs import asdict

from src.check.records import CheckedClaim
from src.records import Level, Verdict
from src.report.server.records import Check, CheckId, Status

Start = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]
Limit = Annotated[int, msgspec.Meta(ge=1, le=100)]


class State(Check, frozen=True):
    """State of a check. `place` in the queue counts from 1; `seconds` is the time since the check began, or that it
    took.
    """

    place: int | None = None
    seconds: float = 0.0
    cancelling: bool = False


def state_of(check: Check, place: int | None, cancelling: bool) -> State:
    ended = check.ended_at or datetime.now(UTC)
    seconds = 0.0 if check.began_at is None else (ended - check.began_at).total_seconds()
    return State(**asdict(check), place=place, seconds=round(max(0.0, seconds), 1), cancelling=cancelling)


class CheckAnswer(State, frozen=True):
    """The state of a check with its result, which is None until it is done."""

    result: CheckedClaim | None = None


class Links(msgspec.Struct, frozen=True):
    """Paths on this server: `self` of status and result, `page` for people."""

    self: str
    events: str
    cancel: str
    page: str


def links(check_id: str) -> Links:
    own = f"/api/check/{check_id}"
    return Links(self=own, events=f"{own}/events", cancel=f"{own}/cancel", page=f"/check/{check_id}")


class Accepted(msgspec.Struct, frozen=True):
    id: CheckId
    status: Status
    links: Links


class Listed(msgspec.Struct, frozen=True):
    """A check in the history. `verdict_set` holds the verdicts that are not ruled out."""

    id: CheckId
    claim: str
    status: Status
    asked_at: datetime
    verdict: Verdict | None
    level: Level | None
    verdict_set: list[Verdict] | None
    links: Links


class Listing(msgspec.Struct, frozen=True):
    """A page of the history. `next` is the path of the following page, None on the last one."""

    checks: list[Listed]
    total: int
    next: str | None


def listed(check: Check) -> Listed:
    found = (check.verdict, check.level, check.verdict_set)
    return Listed(check.id, check.sent.claim, check.status, check.asked_at, *found, links(check.id))


class Wrong(msgspec.Struct, frozen=True):
    """The reason why a request was refused; `field` is the part of it that is wrong, if it is one part."""

    error: str
    field: str = ""


class Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Empty body of a request, `{}` or none: the path says everything."""
