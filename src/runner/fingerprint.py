"""What makes two runs the same run: the step, its settings, its claims and the content of its input files.

`settings` are the arguments without paths, range and how-to-run flags: shards of one run share them.
"""

from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path

import msgspec

from src.store import sha256, storable

NOT_SETTINGS = {"start", "end", "output", "overwrite", "quiet", "dry_run", "strict"}
Setting = str | int | float | bool | None


class InputFile(msgspec.Struct, frozen=True):
    """An input of a run. `sha256` is None for a folder."""

    path: str
    sha256: str | None


class Fingerprint(msgspec.Struct, frozen=True):
    step: str
    settings: dict[str, Setting]
    inputs: dict[str, InputFile]
    first: int
    last: int
    claims: int


def settings_of(args: Namespace, inputs: Mapping[str, Path]) -> dict[str, Setting]:
    """The arguments that shards of one run share."""
    left_out = NOT_SETTINGS | inputs.keys()
    return {name: value for name, value in plain_arguments(args).items() if name not in left_out}


def plain_arguments(args: Namespace) -> dict[str, Setting]:
    """All arguments, as JSON can hold them."""
    return {name: _plain(value) for name, value in vars(args).items()}


def input_files(inputs: Mapping[str, Path]) -> dict[str, InputFile]:
    """Path and hash of each input; folders are not hashed."""
    return {name: _input_file(path) for name, path in inputs.items()}


def _input_file(path: Path) -> InputFile:
    return InputFile(storable(str(path)), sha256(path) if path.is_file() else None)


def differences(theirs: Fingerprint, ours: Fingerprint) -> str:
    """What differs, in words; empty when nothing does. Paths do not count, content does."""
    found = [
        f"--{name} {theirs.settings.get(name)} there, {ours.settings.get(name)} here"
        for name in sorted(theirs.settings.keys() | ours.settings.keys())
        if theirs.settings.get(name) != ours.settings.get(name)
    ]
    found += [
        f"another {name}"
        for name in sorted(theirs.inputs.keys() | ours.inputs.keys())
        if _content(theirs.inputs.get(name)) != _content(ours.inputs.get(name))
    ]
    if (theirs.first, theirs.last, theirs.claims) != (ours.first, ours.last, ours.claims):
        found.append(f"claims {theirs.first} to {theirs.last} there, {ours.first} to {ours.last} here")
    if theirs.step != ours.step:
        found.append(f"step {theirs.step}")
    return "; ".join(found)


def _content(file: InputFile | None) -> str | None:
    if file is None:
        return None
    return file.sha256 if file.sha256 is not None else file.path


def _plain(value: object) -> Setting:
    return value if isinstance(value, int | float | bool) or value is None else storable(str(value))
