"""A check as the server keeps it on disk and tells of it."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated

import msgspec

from src.check.records import CheckedClaim, Stage, Told
from src.records import Level, Verdict
from src.report.server.schemas import Sent

ID = r"[0-9a-f]{32}"
LAST_TEXTS = 5

CheckId = Annotated[str, msgspec.Meta(pattern=f"^{ID}$")]


class Status(StrEnum):
    """`stopped`: the server ended before the check did."""

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
    """`done` of `total` parts, 0 of 0 where parts are not counted; `texts` are of the last parts, the last one last.

    `at` is when the stage began, in seconds from the check's beginning.
    """

    stage: Stage
    at: float
    done: int = 0
    total: int = 0
    texts: tuple[str, ...] = ()

    def after(self, told: Told) -> "StageSeen":
        texts = (*self.texts, told.text)[-LAST_TEXTS:] if told.text else self.texts
        return StageSeen(self.stage, self.at, told.done, told.total, texts)


def told_stages(stages: tuple[StageSeen, ...], told: Told, seconds: float) -> tuple[StageSeen, ...]:
    """With what was told `seconds` after the check's beginning; a stage stands where it was first heard of."""
    seen = {one.stage: one for one in stages}
    stage = seen.get(told.stage) or StageSeen(told.stage, round(seconds, 1))
    return tuple((seen | {told.stage: stage.after(told)}).values())


class Check(msgspec.Struct, frozen=True):
    """`error` is one line that says why there is no result."""

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
    """A file of the history. `result` is there when the check is done."""

    result: CheckedClaim | None = None
