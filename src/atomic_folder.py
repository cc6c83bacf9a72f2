"""Atomic folder writing: a folder appears whole or not at all, as `src/atomic_file.py` does for files."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from src.atomic_file import sync
from src.errors import OutputError


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """Yield a path to create a folder at; it replaces `folder` if the block ends without an error.

    On an error the new folder is deleted. The old folder is never deleted before the new one is in place; a kill
    between the two renames leaves it as `.NAME.old`. Raises OutputError when the folder cannot be written.
    """
    aside, old = (folder.with_name(f".{folder.name}.{end}") for end in ("tmp", "old"))
    try:
        shutil.rmtree(aside, ignore_errors=True)
        yield aside
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
