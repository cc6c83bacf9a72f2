"""Download the published AVeriTeC files (claims, URLs, stores, outputs, checkpoints) to the places where steps look.
The data is under CC BY-NC 4.0 (LICENSE-DATA.md).

A file that exists is left alone. Sizes and free space are shown first. A download that was stopped resumes when it is
started again.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import MissingExtra
from src.retrieval.hub import look_up
from src.retrieval.published_files import (
    HUB_REPOSITORY,
    KINDS,
    PUBLISHED,
    PublishedFile,
    bytes_to_come,
    check_space,
    free_space,
    is_there,
    place,
    published_files,
    size_text,
)
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag


class DownloadSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the download: split, kinds of files, and folder."""

    split: Annotated[str, Flag("split of the data", positional=True, choices=sorted(PUBLISHED))]
    kinds: Annotated[tuple[str, ...], Flag(", ".join(KINDS), positional=True, metavar="KIND")] = ("claims",)
    endpoint: Annotated[str | None, Flag("a mirror of the hub (default: HF_ENDPOINT, if set)")] = None
    root: Annotated[Path, Flag("the project's folder")] = Path()
    overwrite: Annotated[bool, Flag("download existing files, too")] = False


@step(DownloadSettings)
def main(settings: DownloadSettings) -> int:
    files, root = published_files(settings.split, settings.kinds), settings.root
    missing = [file for file in files if settings.overwrite or not is_there(file, root)]
    for file in files:
        if file not in missing:
            say(f"{file.place}: already there")
    try:
        _bring_all(missing, root, settings.endpoint or os.environ.get("HF_ENDPOINT"))
    except MissingExtra as error:
        left = [file for file in missing if settings.overwrite or not (root / file.place).exists()]
        raise MissingExtra(f"{error}; {_by_hand(left)}") from None
    return 0


def _bring_all(missing: Sequence[PublishedFile], root: Path, endpoint: str | None) -> None:
    hub_files = {file: look_up(HUB_REPOSITORY, file.remote, endpoint) for file in missing}
    if not hub_files:
        return
    needed = bytes_to_come(hub_files, root)
    say(f"{len(hub_files)} files to download, {size_text(needed)}; {size_text(free_space(root))} free")
    check_space(needed, root)
    for file, on_hub in hub_files.items():
        say(f"{file.place}: {size_text(on_hub.size)}")
        place(file, on_hub, root)
    say(f"downloaded {len(hub_files)} files")


def _by_hand(files: Sequence[PublishedFile]) -> str:
    """Return the end of an error message: where to put the files if they are downloaded by hand."""
    pairs = [f"its {file.remote}{', unzipped,' if file.unpacked else ''} as {file.place}" for file in files]
    return f"or copy files of {HUB_REPOSITORY} that you have to this folder: {', '.join(pairs)}"


if __name__ == "__main__":
    raise SystemExit(main())
