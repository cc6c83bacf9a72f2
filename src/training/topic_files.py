"""Folders of written training records with a file for each topic."""

from pathlib import Path

from src.errors import InputError


def topic_files(folder: Path, kind: str) -> dict[str, Path]:
    """Return the `<topic>.jsonl` files of a folder by their roles, `<kind>_<topic>`, in order.

    Raises InputError when there are none.
    """
    found = {f"{kind}_{path.stem}": path for path in sorted(folder.glob("*.jsonl"))}
    if not found:
        raise InputError(f"has no {kind} (*.jsonl)", path=folder)
    return found
