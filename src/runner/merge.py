"""Step: joins the shards of outputs, such as `dev_top_k_qa.0-250.json`, into `dev_top_k_qa.json`.

Refuses gaps, overlaps, duplicate claims, and shards made with other arguments or models.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.runner.merging import merge_shards
from src.runner.step import step
from src.settings import Flag


class MergeSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the merge step."""

    names: Annotated[
        tuple[Path, ...], Flag("merged files in the order of their steps, such as data_store/dev_top_k_qa.json",
                               positional=True, metavar="NAME")
    ]  # fmt: skip
    start: Annotated[int, Flag("first claim expected", "-s", "--start")] = 0
    overwrite: Annotated[bool, Flag("replace a merged file that is there already")] = False
    end: Annotated[
        int | None, Flag("claim after the last one expected (default: of the last shard)", "-e", "--end")
    ] = None


@step(MergeSettings)
def main(settings: MergeSettings) -> int:
    return max(_merge(name, settings) for name in settings.names)


def _merge(name: Path, settings: MergeSettings) -> int:
    output = name if name.suffix == ".json" else name.with_name(f"{name.name}.json")
    return merge_shards(output, settings, settings.start, settings.end, overwrite=settings.overwrite)


if __name__ == "__main__":
    raise SystemExit(main())
