"""Download the published AVeriTeC files (claims, URLs, stores, outputs, checkpoints) to the places where steps look.

A file that exists is left alone. Sizes and free space are shown first. A download that was stopped resumes when it is
started again. The data is under CC BY-NC 4.0 (LICENSE-DATA.md).
"""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from src.errors import MissingExtra
from src.retrieval.published.catalogue import HUB_REPOSITORY, KINDS, PUBLISHED, PublishedFile, published_files
from src.retrieval.published.hub import look_up
from src.retrieval.published.placing import bytes_to_come, check_space, free_space, is_there, place, size_text
from src.runner.arguments import StepParser, step
from src.runner.console import say


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").split("\n\n")
    made = StepParser(prog="python -m src.retrieval.download_published", description=lines[0], epilog=lines[1])
    made.add_argument("split", choices=sorted(PUBLISHED))
    made.add_argument("kinds", nargs="*", metavar="KIND", help=f"{', '.join(KINDS)} (default: claims)")
    made.add_argument("--endpoint", default=os.environ.get("HF_ENDPOINT"), help="a mirror of the hub (or HF_ENDPOINT)")
    made.add_argument("--root", type=Path, default=Path(), help="the project's folder (default: the current one)")
    made.add_argument("--overwrite", action="store_true", help="bring also what is there")
    return made


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    files = published_files(args.split, args.kinds or ["claims"])
    missing = [file for file in files if args.overwrite or not is_there(file, args.root)]
    for file in files:
        if file not in missing:
            say(f"{file.place}: already there")
    try:
        _bring_all(missing, args.root, args.endpoint)
    except MissingExtra as error:
        left = [file for file in missing if args.overwrite or not (args.root / file.place).exists()]
        raise MissingExtra(f"{error}; {_by_hand(left)}") from None
    return 0


def _bring_all(missing: Sequence[PublishedFile], root: Path, endpoint: str | None) -> None:
    found = {file: look_up(HUB_REPOSITORY, file.remote, endpoint) for file in missing}
    if not found:
        return
    needed = bytes_to_come(found, root)
    say(f"{len(found)} files to come, {size_text(needed)}; {size_text(free_space(root))} free")
    check_space(needed, root)
    for file, on_hub in found.items():
        say(f"{file.place}: {size_text(on_hub.size)}")
        place(file, on_hub, root)
    say(f"brought {len(found)} files")


def _by_hand(files: Sequence[PublishedFile]) -> str:
    """Return the end of the error message: how to place the files without the hub."""
    pairs = [f"{file.remote} {'unzipped to' if file.unpacked else 'to'} {file.place}" for file in files]
    return f"or place the files of {HUB_REPOSITORY} by hand: {', '.join(pairs)}"


if __name__ == "__main__":
    raise SystemExit(main())
