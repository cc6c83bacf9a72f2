"""Shards of a step: `--shard I/N` as a range of claims, with the files of that range.

A step reads the previous step's shard of the same part where there is one, and then divides as that step did.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from msgspec.structs import replace

from src.errors import InputError
from src.runner.claim_range import ClaimJobSettings, ClaimRange, DividedRange, end_of, in_range
from src.runner.division import Part, divide
from src.runner.manifest import read_manifest
from src.runner.outcome import HasClaimId
from src.runner.paths import existing_file
from src.runner.shard_plan import ShardPlan, check_plan, pin, plan_path, read_plan, shard_path
from src.settings import JobSettings

Settings = TypeVar("Settings", bound=ClaimJobSettings)
_SHARD = re.compile(r"(.+)\.([0-9]+)-([0-9]+)\.json")


def input_file(path: Path, made_by: str, chosen: DividedRange) -> Path:
    """Return the file that a step reads: the shard of `path` for its part, if that is there, else `path`.

    A shard is not read if `path` is newer and was made otherwise than by merging that shard. `made_by` is the step that
    writes the file. Raises InputError when neither is there, or when `path` is divided into another number of shards
    and not merged.
    """
    plan = read_plan(path) if chosen.shard else None
    if plan is None or chosen.shard is None:
        return existing_file(path, made_by)
    if plan.count == chosen.shard.count:
        shard = shard_path(path, *plan.range_of(chosen.shard))
        if not path.exists() or (shard.is_file() and not _is_outdated(shard, path)):
            return existing_file(shard, f"{made_by} --shard {chosen.shard}")
    elif not path.exists():
        why = f"there are {plan}, not {chosen.shard.count}; merge them first: python -m src.runner.merge {path}"
        raise InputError(why, path=plan_path(path))
    return existing_file(path, made_by)


def _is_outdated(shard: Path, merged: Path) -> bool:
    """Return True if the merged file is newer than the shard and was not merged from it."""
    if shard.stat().st_mtime_ns >= merged.stat().st_mtime_ns:
        return False
    made, whole = read_manifest(shard), read_manifest(merged)
    return made is None or whole is None or made.output_sha256 not in whole.shards


def in_shard(settings: Settings, claims: Sequence[HasClaimId], source: Path) -> Settings:
    """Return the settings with the range of claims and the output file of the part that --shard names.

    `claims` are those of `source`, the input file. Without --shard, the settings are returned as they are. Nothing is
    written; `pin_plan` does that. Raises InputError when the output has been divided otherwise, when its name does not
    end in .json, or when the claims cannot be divided.
    """
    if settings.range.shard is None:
        return settings
    if settings.output.suffix != ".json":
        raise InputError("--shard needs an output whose name ends in .json", path=settings.output)
    plan = plan_of_input(source, settings.range) or divided(settings.range, claims, source)
    check_plan(settings.output, plan)
    start, end = plan.range_of(settings.range.shard)
    return replace(settings, range=DividedRange(start, end, plan=plan), output=shard_path(settings.output, start, end))


def pin_plan(settings: JobSettings) -> None:
    """Write the plan of which the settings are a part beside the merged output, unless it is there.

    A job does so when its models and its cluster are ready: a start that fails pins nothing. Raises InputError when
    there is another plan by now, and OutputError when it cannot be written.
    """
    if isinstance(settings, ClaimJobSettings) and settings.range.plan and (merged := whole_of(settings.output)):
        pin(merged, settings.range.plan)


def part_of(chosen: DividedRange, claims: Sequence[HasClaimId], source: Path) -> ClaimRange:
    """Return the range of the part that --shard names; for steps that write a file for each claim.

    `claims` are those of the file `source`. Raises InputError when they cannot be divided.
    """
    return ClaimRange(*divided(chosen, claims, source).range_of(chosen.shard)) if chosen.shard else chosen


def divided(chosen: DividedRange, claims: Sequence[HasClaimId], source: Path) -> ShardPlan:
    """Return the plan that divides the claims of a range evenly. Raises InputError when they cannot be divided."""
    assert chosen.shard is not None
    in_range(claims, chosen.start, chosen.end, source)
    end = end_of(claims) if chosen.end == -1 else chosen.end
    ids = sorted(claim.claim_id for claim in claims)
    return ShardPlan(divide(ids, chosen.start, end, chosen.shard.count))


def plan_of_input(source: Path, chosen: DividedRange) -> ShardPlan | None:
    """Return the plan by which an input was divided that is a shard itself; None for other inputs.

    Raises InputError if it was divided for another range of claims, or if it is not the shard of the chosen part.
    """
    whole = whole_of(source)
    plan = read_plan(whole) if whole else None
    if whole is None or plan is None or source not in plan.files(whole):
        return None
    part = Part(plan.files(whole).index(source), plan.count)
    if part != chosen.shard:
        raise InputError(f"is shard {part}, not {chosen.shard}", path=source)
    asked = (chosen.start, plan.bounds[-1] if chosen.end == -1 else chosen.end)
    if asked not in ((plan.bounds[0], plan.bounds[-1]), (0, plan.bounds[-1])):
        raise InputError(f"there are {plan}, not of {asked[0]} to {asked[1] - 1}", path=plan_path(whole))
    return plan


def refuse_shard(chosen: DividedRange, name: str) -> None:
    """Raise InputError if --shard is given. Called for a flag `name` whose file is made of the merged output."""
    if chosen.shard is not None:
        raise InputError(f"--{name} goes without --shard: merge the shards, then start the step again without --shard")


def whole_of(path: Path) -> Path | None:
    """Return the merged file of a shard: `dev_top_k_qa.0-250.json` -> `dev_top_k_qa.json`; None for other files."""
    match = _SHARD.fullmatch(path.name)
    return path.with_name(f"{match[1]}.json") if match else None
