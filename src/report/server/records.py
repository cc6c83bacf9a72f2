"""Records of checks on disk and in the API's responses, and the limits of a server."""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import asdict

from src.check.records import CheckedClaim, ProgressEvent, Stage
from src.records import Level, Verdict
from src.report.server.submission import MOST_URLS, ClaimSubmission

ID = r"[0-9a-f]{32}"
LAST_TEXTS = 5

CheckId = Annotated[str, Meta(pattern=f"^{ID}$")]
Start = Annotated[int, Meta(ge=0, le=1_000_000)]
Limit = Annotated[int, Meta(ge=1, le=100)]


class Limits(msgspec.Struct, frozen=True):
    """Limits of a server.

    `seconds`: time limit of one check.
    `waiting`: maximum number of checks in the queue.
    `urls`: maximum number of URLs of a claim.
    `kept`: maximum number of checks in the history.
    """

    seconds: float = 300.0
    waiting: int = 20
    urls: int = MOST_URLS
    kept: int = 500


class Status(StrEnum):
    """Status of a check; `stopped` means that the server ended before the check did."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"

    @property
    def is_over(self) -> bool:
        return self not in (Status.WAITING, Status.WORKING)


class StageProgress(msgspec.Struct, frozen=True):
    """Progress of one stage of a check.

    `stage`: the stage.
    `at`: when the stage began, in seconds since the check began.
    `done`, `total`: number of finished and of all units (pages, questions, steps); both 0 if the stage counts none.
    `texts`: last messages of the stage, such as the URL of a page that was read, in order.
    """

    stage: Stage
    at: float
    done: int = 0
    total: int = 0
    texts: tuple[str, ...] = ()

    def after(self, event: ProgressEvent) -> "StageProgress":
        texts = (*self.texts, event.text)[-LAST_TEXTS:] if event.text else self.texts
        return StageProgress(self.stage, self.at, event.done, event.total, texts)


def with_event(stages: tuple[StageProgress, ...], event: ProgressEvent, seconds: float) -> tuple[StageProgress, ...]:
    """Return the stages updated by an event, which came `seconds` after the check began. Stages are in the order of
    their first events.
    """
    by_stage = {one.stage: one for one in stages}
    stage = by_stage.get(event.stage) or StageProgress(event.stage, round(seconds, 1))
    return tuple((by_stage | {event.stage: stage.after(event)}).values())


class Check(msgspec.Struct, frozen=True):
    """A check without its result.

    `id`: id of the check, 32 hexadecimal digits.
    `sent`: the claim and the settings that were submitted.
    `status`: whether the check waits, runs, or how it ended.
    `asked_at`, `began_at`, `ended_at`: times (UTC) of submission, begin and end; None if not reached.
    `stages`: progress of each stage that has begun, in order of beginning.
    `verdict`, `level`, `verdict_set`: predicted verdict, its level and the verdicts that are not ruled out; None before
        the check is done, and where the verdict model gives none.
    `error`: one line that says why there is no result; empty if nothing failed.
    """

    id: CheckId
    sent: ClaimSubmission
    status: Status
    asked_at: datetime
    began_at: datetime | None = None
    ended_at: datetime | None = None
    stages: tuple[StageProgress, ...] = ()
    verdict: Verdict | None = None
    level: Level | None = None
    verdict_set: list[Verdict] | None = None
    error: str = ""


class StoredCheck(Check, frozen=True):
    """A check in a file of the history; `result` is set when the check is done."""

    result: CheckedClaim | None = None


class State(Check, frozen=True):
    """State of a check.

    `place`: position in the queue, from 1; None if the check is not waiting.
    `seconds`: time since the check began, or the time that it took.
    `cancelling`: True if the check is being canceled.
    """

    place: int | None = None
    seconds: float = 0.0
    cancelling: bool = False


def state_of(check: Check, place: int | None, cancelling: bool) -> State:
    ended = check.ended_at or datetime.now(UTC)
    seconds = 0.0 if check.began_at is None else (ended - check.began_at).total_seconds()
    return State(**asdict(check), place=place, seconds=round(max(0.0, seconds), 1), cancelling=cancelling)


class CheckAnswer(State, frozen=True):
    """State of a check with its result.

    `result`: the result; None until the check is done.
    """

    result: CheckedClaim | None = None


class Links(msgspec.Struct, frozen=True):
    """Paths of a check on this server.

    `self`: path of its status and result.
    `events`: path of the stream of its states.
    `cancel`: path to which a request to cancel it is posted.
    `page`: path of its page for readers.
    """

    self: str
    events: str
    cancel: str
    page: str


def links(check_id: str) -> Links:
    own = f"/api/check/{check_id}"
    return Links(self=own, events=f"{own}/events", cancel=f"{own}/cancel", page=f"/check/{check_id}")


class Accepted(msgspec.Struct, frozen=True):
    """Response to a submission that was added to the queue.

    `id`: id of the check, 32 hexadecimal digits.
    `status`: status of the check.
    `links`: paths of the check on this server.
    """

    id: CheckId
    status: Status
    links: Links


class CheckSummary(msgspec.Struct, frozen=True):
    """A check in the list of the history.

    `id`: id of the check, 32 hexadecimal digits.
    `claim`: text of the claim.
    `status`: whether the check waits, runs, or how it ended.
    `asked_at`: time (UTC) of submission.
    `verdict`, `level`, `verdict_set`: predicted verdict, its level and the verdicts that are not ruled out; None before
        the check is done, and where the verdict model gives none.
    `links`: paths of the check on this server.
    """

    id: CheckId
    claim: str
    status: Status
    asked_at: datetime
    verdict: Verdict | None
    level: Level | None
    verdict_set: list[Verdict] | None
    links: Links


class CheckList(msgspec.Struct, frozen=True):
    """A page of the history.

    `checks`: the checks of this page, newest first.
    `total`: number of all checks.
    `next`: path of the next page; None on the last one.
    """

    checks: list[CheckSummary]
    total: int
    next: str | None


def summary_of(check: Check) -> CheckSummary:
    verdict = (check.verdict, check.level, check.verdict_set)
    return CheckSummary(check.id, check.sent.claim, check.status, check.asked_at, *verdict, links(check.id))


class Refusal(msgspec.Struct, frozen=True):
    """Refusal of a request.

    `error`: the reason, one line.
    `field`: the wrong part of the request, if it is a single one.
    """

    error: str
    field: str = ""


class EmptyBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Empty body of a request, `{}` or none: the URL path has all parameters."""
