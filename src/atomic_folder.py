"""Atomic folder writing: a folder appears with all its files, or the old folder stays."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.atomic_file import sync
from src.errors import OutputError


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a path at which to create the new folder. It replaces `folder` if the block ends without an error.

    On an error the new folder is deleted and the old one stays. The old folder is deleted only after the new one has
    its name. A process that is killed between the two renames leaves the old folder as `.NAME.old`. All files get the
    permissions of the umask. Raises OutputError when the folder cannot be written.
    """
    aside, old = (folder.with_name(f".{folder.name}.{end}") for end in ("tmp", "old"))
    try:
        shutil.rmtree(aside, ignore_errors=True)
        yield aside
        open_to_others(aside)
        for path in aside.rglob("*"):
            sync(path)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)
            folder.rename(old)
        aside.rename(folder)
        sync(folder.parent)
    except OSError as error:
        raise OutputError(f"cannot write {folder}: {error.strerror or error}") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        if folder.exists():
            shutil.rmtree(old, ignore_errors=True)


def open_to_others(folder: Path) -> None:
    """Give all files in a new folder the permissions that its umask gave the folder; programs stay executable.

    safetensors writes files that only their owner can read. Raises OSError when they cannot be changed.
    """
    mode = folder.stat().st_mode & 0o777
    for path in folder.rglob("*"):
        if path.is_file():
            path.chmod(mode & (0o777 if path.stat().st_mode & 0o100 else 0o666))
