"""Step: joins the shards of an output, such as `dev_top_k_qa.0-250.json`, into `dev_top_k_qa.json`.

Refuses gaps, overlaps, duplicate claims, and shards made with other arguments or models.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.runner.console import how_many, say
from src.runner.fingerprint import plain_arguments
from src.runner.output import read_failures, write_output
from src.runner.shards import Shard, check_replaceable, find_shards, join, read_shard
from src.runner.step import step
from src.settings import Flag
from src.store import encode_line, list_pieces


class MergeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the merge step."""

    name: Annotated[Path, Flag("the merged file, such as data_store/dev_top_k_qa.json", positional=True)]
    start: Annotated[int, Flag("first claim expected", "-s", "--start")] = 0
    overwrite: Annotated[bool, Flag("replace a merged file that is there already")] = False
    end: Annotated[
        int | None, Flag("claim after the last one expected (default: of the last shard)", "-e", "--end")
    ] = None


@step(MergeSettings)
def main(settings: MergeSettings) -> int:
    output = settings.name if settings.name.suffix == ".json" else settings.name.with_name(f"{settings.name.name}.json")
    shards = [read_shard(path) for path in find_shards(output)]
    _check_ends(shards, settings.start, settings.end)
    records, manifest = join(shards)
    failures = [failure for shard in shards for failure in read_failures(shard.path)]
    if not settings.overwrite:
        check_replaceable(output, manifest)
    data = list_pieces(records) if shards[0].is_list else map(encode_line, records)
    manifest = msgspec.structs.replace(manifest, arguments=plain_arguments(settings))
    write_output(output, data, failures, manifest)
    failed = f", {len(failures)} of them failed" if failures else ""
    say(f"merge: {how_many(len(shards), 'shard')}, {how_many(len(records), 'claim')}{failed} -> {output}")
    return 1 if failures else 0


def _check_ends(shards: Sequence[Shard], start: int, end: int | None) -> None:
    if shards[0].start != start:
        raise InputError(
            f"the first claim expected is {start}, this shard starts at {shards[0].start}", path=shards[0].path
        )
    if end is not None and shards[-1].end != end:
        raise InputError(
            f"the last claim expected is {end - 1}, this shard ends at {shards[-1].end - 1}", path=shards[-1].path
        )


if __name__ == "__main__":
    raise SystemExit(main())
