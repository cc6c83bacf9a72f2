"""Checks of paths: inputs must exist; an output must not be a folder, an input, or a file that belongs to an input."""

from collections.abc import Mapping
from pathlib import Path

from src.atomic_file import check_writable
from src.errors import InputError
from src.runner.journal import progress_path
from src.runner.manifest import manifest_path, read_manifest
from src.runner.output import failures_path

LONGEST_NAME = 255  # bytes, on most file systems
_BESIDE = (manifest_path, failures_path, progress_path)


def check_output(output: Path, inputs: Mapping[str, Path], named: str = "output") -> None:
    """Raise InputError if the output would overwrite an input, is a folder, or has a name that is too long.

    `inputs` maps flag names to the files that must not be overwritten. `named` is the noun for the output in messages.
    Raises OutputError when the output cannot be written.
    """
    if output.name:
        _check_length(output, named)
    if not output.name or output.is_dir():
        raise InputError(f"the {named} is a folder; name a file in it", path=output)
    for name, path in inputs.items():
        other = path.resolve()
        if other == output.resolve():
            raise InputError(f"the {named} would overwrite --{name}", path=output)
        if other.name and output.resolve() in {beside(other) for beside in _BESIDE}:
            raise InputError(f"the {named} would overwrite a file that belongs to --{name}", path=output)
    check_writable(output)


def _check_length(output: Path, named: str) -> None:
    longest = max((beside(output).name for beside in _BESIDE), key=lambda name: len(name.encode()))
    over = len(f".{longest}.tmp".encode()) - LONGEST_NAME
    if over > 0:
        message = f"the {named}'s name is {over} bytes too long for the files beside it; choose a shorter one"
        raise InputError(message, path=output)


def check_replaced(output: Path, step: str, named: str) -> None:
    """Raise InputError if the output exists and was made by another step, or has no manifest.

    For steps that write the output anew each time. `named` is the noun for the output in the message.
    """
    manifest = read_manifest(output) if output.exists() else None
    if output.exists() and (manifest is None or manifest.fingerprint.step != step):
        raise InputError(f"is no earlier {named}; name another file, or remove it", path=output)


def existing_file(path: Path, made_by: str) -> Path:
    """Return `path` if it is a file. Raises InputError otherwise; the message names the step that writes it."""
    if path.is_dir():
        raise InputError("is a folder; name a file in it", path=path)
    if not path.is_file():
        raise InputError(f"not found; it is written by: {made_by}", path=path)
    return path


def output_folder(path: Path) -> Path:
    """Return `path` if it is a folder or can be created. Raises InputError when it or a parent of it is a file."""
    existing = next(folder for folder in (path, *path.absolute().parents) if folder.exists())
    if not existing.is_dir():
        raise InputError("is a file; name a folder", path=existing)
    return path
