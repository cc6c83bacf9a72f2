"""The range of claims that a step works on, and the part of it that `--shard` names."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec

from src.errors import InputError
from src.runner.division import Part, read_part
from src.runner.outcome import HasClaimId
from src.runner.shard_plan import ShardPlan
from src.settings import Flag, Group, JobSettings

Keyed = TypeVar("Keyed", bound=HasClaimId)


class ClaimRange(msgspec.Struct, frozen=True):
    """Range of claim_ids: from `start` to `end` - 1; an `end` of -1 means up to the last claim."""

    start: Annotated[int, Flag("first claim_id", "-s", "--start")] = 0
    end: Annotated[int, Flag("claim_id after the last one; -1: all", "-e", "--end")] = -1


Claims = Annotated[ClaimRange, Group()]
SHARD_HELP = "compute part I of N, from 0/N; the output's name is that of the merged file"


class DividedRange(ClaimRange, frozen=True):
    """Range of claim_ids, and the part of it that is computed.

    `shard`: the part, as the user gives it; None: all of the range.
    `plan`: the plan by which this range is a part of another one; None: it is none, or the part is not yet found.
    """

    shard: Annotated[Part | None, Flag(SHARD_HELP, metavar="I/N", parse=read_part)] = None
    plan: ShardPlan | None = None


class ClaimJobSettings(JobSettings, frozen=True, kw_only=True):
    """Settings of a job whose claims and files can be divided into shards (`sharding.py`)."""

    range: Annotated[DividedRange, Group()] = DividedRange()


def end_of(claims: Sequence[HasClaimId]) -> int:
    """Return the highest claim_id plus 1, or 0 if there are no claims."""
    return max((claim.claim_id for claim in claims), default=-1) + 1


def in_range(claims: Sequence[Keyed], start: int, end: int, source: Path | None = None) -> list[Keyed]:
    """Return the claims with claim_ids from `start` to `end` - 1, sorted; an `end` of -1 means up to the last claim.

    `source` is the file of the claims, for messages. Raises InputError unless 0 <= start < end, `end` is at most the
    highest claim_id plus 1, and the range contains a claim.
    """
    if not claims:
        raise InputError("holds no claims to work on", path=source)
    last = end_of(claims)
    stop = last if end == -1 else end
    if not 0 <= start < last:
        raise InputError(f"--start {start}: the claims are 0 to {last - 1}", path=source)
    if not start < stop <= last:
        raise InputError(f"--end {end}: must be above {start} (--start) and at most {last}", path=source)
    chosen = sorted((claim for claim in claims if start <= claim.claim_id < stop), key=lambda claim: claim.claim_id)
    if not chosen:
        raise InputError(f"--start {start} --end {end}: no claim has such a claim_id", path=source)
    return chosen


def in_words(ids: Iterable[int]) -> str:
    """Return claim_ids as text, sorted, with ranges: `2, 4-9`."""
    spans: list[list[int]] = []
    for number in sorted(set(ids)):
        if spans and spans[-1][-1] == number - 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)
