"""Join of the shards of an output into the merged file."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.runner.console import how_many, say
from src.runner.fingerprint import plain_arguments
from src.runner.output import read_failures, write_output
from src.runner.shards import Shard, check_replaceable, encoded, find_shards, join, read_shard


def merge_shards(output: Path, settings: msgspec.Struct, start: int, end: int | None, *, overwrite: bool) -> int:
    """Join the shards of `output`, which have the claims `start` to `end` - 1; None: up to the last shard.

    `settings` are those of the command, for the manifest. Return 1 if some claims failed, else 0. Raises InputError
    when shards are missing or do not belong together, OutputError when the file cannot be written.
    """
    shards = [read_shard(path) for path in find_shards(output)]
    _check_ends(shards, start, end)
    records, manifest = join(shards)
    failures = [failure for shard in shards for failure in read_failures(shard.path)]
    if not overwrite:
        check_replaceable(output, manifest)
    manifest = msgspec.structs.replace(manifest, arguments=plain_arguments(settings))
    write_output(output, encoded(records, is_list=shards[0].is_list), failures, manifest)
    failed = f", {len(failures)} of them failed" if failures else ""
    claims = how_many(manifest.fingerprint.claims, "claim")
    say(f"merge: {how_many(len(shards), 'shard')}, {claims}{failed} -> {output}")
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
