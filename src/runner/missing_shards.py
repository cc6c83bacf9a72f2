"""Step: the shards that are missing of outputs, as an `--array` expression of SLURM such as `0,3-5`.

A shard is missing that was not computed to its end, or that has failed claims. Of several outputs, a number is printed
if one of them lacks that shard. Exit code: 0 nothing is missing, and the line is empty; 1 something is; 2 bad input.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.runner.claim_range import in_words
from src.runner.console import say
from src.runner.shard_plan import plan_path, read_plan
from src.runner.shards import is_finished
from src.runner.step import step
from src.settings import Flag, Positive


class MissingSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `missing_shards`."""

    names: Annotated[
        tuple[Path, ...], Flag("merged files, such as data_store/dev_top_k_qa.json", positional=True, metavar="NAME")
    ]
    count: Annotated[
        Positive | None, Flag("number of shards; needed where none has been started", "-n", "--count", metavar="N")
    ] = None
    allow_failures: Annotated[bool, Flag("a shard with failed claims is not missing")] = False


@step(MissingSettings)
def main(settings: MissingSettings) -> int:
    missing = {number for name in settings.names for number in _missing(name, settings)}
    say(in_words(missing).replace(" ", ""))
    return 1 if missing else 0


def _missing(output: Path, settings: MissingSettings) -> list[int]:
    plan = read_plan(output)
    if plan is None:
        if settings.count is None:
            raise InputError("not found; it is written by the first step with --shard", path=plan_path(output))
        return list(range(settings.count))
    if settings.count not in (None, plan.count):
        raise InputError(f"there are {plan}, not {settings.count}", path=plan_path(output))
    return [
        number
        for number, path in enumerate(plan.files(output))
        if not is_finished(path, allow_failures=settings.allow_failures)
    ]


if __name__ == "__main__":
    raise SystemExit(main())
