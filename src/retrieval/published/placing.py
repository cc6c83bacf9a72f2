"""Placement of published files where steps look: checks free space first, and unpacks a zip of URL lists to a folder.

Limitations: knowledge-store zips are not unpacked, since `src/knowledge_store.py` reads them in place.
"""

import shutil
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from src.errors import InputError, OutputError
from src.retrieval.published.catalogue import PublishedFile
from src.retrieval.published.hub import HubFile, bring, partial_path

WAITING = Path("data_store/.download")


def is_there(file: PublishedFile, root: Path) -> bool:
    """Return True if the file or folder is in place.

    Raises InputError for a folder that is incomplete but not empty: it may be the user's own.
    """
    place = root / file.place
    if not file.unpacked or not place.is_dir():
        return place.exists()
    if not any(place.iterdir()):
        return False
    there = sum(1 for _ in place.glob("*.tsv"))
    if there < file.unpacked:
        raise InputError(
            f"{there} of {file.unpacked} there; --overwrite brings all in place of the folder, or move it away",
            path=place,
        )
    return True


def size_text(size: int) -> str:
    """Return a number of bytes as text: `1.8 MB`."""
    value, unit = float(size), "B"
    for larger in ("kB", "MB", "GB"):
        if value < 1000:
            break
        value, unit = value / 1000, larger
    return f"{value:.0f} {unit}" if unit == "B" else f"{value:.1f} {unit}"


def bytes_to_come(found: Mapping[PublishedFile, HubFile], root: Path) -> int:
    """Return the bytes still to download: all sizes less the partial files of earlier downloads."""
    partials = [partial_path(on_hub, root / WAITING) for on_hub in found.values()]
    had = sum(path.stat().st_size for path in partials if path.exists())
    return sum(on_hub.size for on_hub in found.values()) - had


def free_space(root: Path) -> int:
    return shutil.disk_usage(root).free


def check_space(needed: int, root: Path) -> None:
    """Raise OutputError when the disk of `root` has less than `needed` bytes free."""
    free = free_space(root)
    if needed > free:
        raise OutputError(
            f"{root.absolute()} has {size_text(free)} free, {size_text(needed)} are to come; make room first"
        )


def place(file: PublishedFile, on_hub: HubFile, root: Path) -> None:
    """Download one file to its place; an older file or folder there is replaced once the new one is complete.

    Raises MissingExtra, BusyError and InputError as `hub.bring`, OutputError when it cannot be written.
    """
    try:
        if not file.unpacked:
            bring(on_hub, root / file.place, root / WAITING)
            return
        archive = root / WAITING / Path(file.remote).name
        bring(on_hub, archive, root / WAITING)
        _unpack(archive, root / file.place)
        archive.unlink()
    except OSError as error:
        raise OutputError(f"cannot write {root / file.place}: {error.strerror or error}") from None


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack the zip's .tsv files, from any of its folders, to files of `folder`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".unpack-", dir=folder.parent) as aside:
        fresh = Path(aside) / folder.name
        fresh.mkdir()
        try:
            with zipfile.ZipFile(archive) as zipped:
                members = [name for name in zipped.namelist() if name.endswith(".tsv") and "__MACOSX" not in name]
                check_space(sum(zipped.getinfo(name).file_size for name in members), folder.parent)
                for name in members:
                    with zipped.open(name) as source, (fresh / Path(name).name).open("wb") as target:
                        shutil.copyfileobj(source, target)
        except zipfile.BadZipFile as error:
            raise InputError(f"not a readable zip: {error}", path=archive) from None
        if folder.exists():
            folder.rename(Path(aside) / "old")
        fresh.rename(folder)
