"""Record of a check, on disk and in the API."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from src.check.records import CheckedClaim, ProgressEvent, Stage
from src.records import Level, Verdict
from src.report.server.schemas import Sent

ID = r"[0-9a-f]{32}"
LAST_TEXTS = 5

CheckId = Annotated[str, msgspec.Meta(pattern=f"^{ID}$")]


class Status(StrEnum):
    """Status of a check; `stopped`: the server ended before the check did."""

    WAITING = "waiting"
    WORKING = "working"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    STOPPED = "stopped"

    @property
    def is_over(self) -> bool:
        return self not in (Status.WAITING, Status.WORKING)


class StageSeen(msgspec.Struct, frozen=True):
    """Progress of a stage: `done` of `total` parts, 0 of 0 where parts are not counted.

    `texts` are those of the last parts, in order. `at` is when the stage began, in seconds from the check's beginning.
    """

    stage: Stage
    at: float
    done: int = 0
    total: int = 0
    texts: tuple[str, ...] = ()

    def after(self, told: ProgressEvent) -> "StageSeen":
        texts = (*self.texts, told.text)[-LAST_TEXTS:] if told.text else self.texts
        return StageSeen(self.stage, self.at, told.done, told.total, texts)


def told_stages(stages: tuple[StageSeen, ...], told: ProgressEvent, seconds: float) -> tuple[StageSeen, ...]:
    """Return the stages with progress reported `seconds` after the check's beginning, in order of first report."""
    seen = {one.stage: one for one in stages}
    stage = seen.get(told.stage) or StageSeen(told.stage, round(seconds, 1))
    return tuple((seen | {told.stage: stage.after(told)}).values())


class Check(msgspec.Struct, frozen=True):
    """A check; `error` is one line that says why there is no result."""

    id: CheckId
    sent: Sent
    status: Status
    asked_at: datetime
    began_at: datetime | None = None
    ended_at: datetime | None = None
    stages: tuple[StageSeen, ...] = ()
    verdict: Verdict | None = None
    level: Level | None = None
    verdict_set: list[Verdict] | None = None
    error: str = ""


class Kept(Check, frozen=True):
    """A file of the history; `result` is set when the check is done."""

    result: CheckedClaim | None = None
