"""Plan `NAME.shards.json` beside an output `NAME.json`: the ranges of the shards that `--shard` computes.

The first shard that begins its work writes the plan. Later shards, the merge and the next step follow it.
"""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec

from src.atomic_file import write_new
from src.errors import InputError
from src.json_decoding import decode
from src.runner.division import Part


class ShardPlan(msgspec.Struct, frozen=True):
    """Bounds of the shards: shard i has the claim_ids from bound i to bound i + 1, without the latter."""

    bounds: tuple[int, ...]

    @property
    def count(self) -> int:
        return len(self.bounds) - 1

    def files(self, output: Path) -> list[Path]:
        """Return the paths of all shards of an output, in order."""
        return [shard_path(output, start, end) for start, end in pairwise(self.bounds)]

    def range_of(self, part: Part) -> tuple[int, int]:
        return self.bounds[part.index], self.bounds[part.index + 1]

    def __str__(self) -> str:
        return f"{self.count} shards of the claims {self.bounds[0]} to {self.bounds[-1] - 1}"


def shard_path(output: Path, start: int, end: int) -> Path:
    """Return the path of a shard: `dev_top_k_qa.json` -> `dev_top_k_qa.0-250.json`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.{start}-{end}.json")


def plan_path(output: Path) -> Path:
    """Return the path of an output's plan: `dev_top_k_qa.json` -> `dev_top_k_qa.shards.json`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.shards.json")


def read_plan(output: Path) -> ShardPlan | None:
    """Return the plan of an output, or None if there is none. Raises InputError when it cannot be read."""
    path = plan_path(output)
    try:
        plan = decode(path.read_bytes(), ShardPlan)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(error.strerror or str(error), path=path) from None
    except msgspec.DecodeError as error:
        raise InputError(f"is no plan of shards ({error})", path=path) from None
    if not _is_valid(plan.bounds):
        raise InputError("must be two numbers or more, from 0, each above the one before", path=path, field="bounds")
    return plan


def check_plan(output: Path, plan: ShardPlan) -> None:
    """Raise InputError when an output has another plan."""
    there = read_plan(output)
    if there not in (None, plan):
        shards = f"{output.name.removesuffix('.json')}.*-*.json"
        why = f"there are {_difference(there, plan)}; to divide anew, remove this file and {shards}"
        raise InputError(why, path=plan_path(output))


def pin(output: Path, plan: ShardPlan) -> None:
    """Write the plan beside an output, unless it is there.

    Raises InputError when the output has another plan, and OutputError when the plan cannot be written. Of processes
    that write at the same time one wins, and the others compare.
    """
    if not write_new(plan_path(output), msgspec.json.encode(plan) + b"\n"):
        check_plan(output, plan)


def _difference(there: ShardPlan | None, here: ShardPlan) -> str:
    return f"{there}, here {here}" if str(there) != str(here) else f"{there}, with other claims between"


def _is_valid(bounds: Sequence[int]) -> bool:
    return len(bounds) > 1 and bounds[0] >= 0 and all(one < other for one, other in pairwise(bounds))
