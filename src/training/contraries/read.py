"""Reader of the contrary claims of a folder."""

from pathlib import Path

from src.errors import InputError
from src.store import located, read_bytes
from src.training.contraries.records import Contraries
from src.training.split import number_of
from src.training.topic_files import topic_files

HELD_OUT = 0.1  # of the pairs, by their first claims
_TEXTS = ("claim", "contrary", "claim_page", "contrary_page", "open_page", "divided_page")


def contraries_files(folder: Path) -> dict[str, Path]:
    """Return the files of a folder by their roles. Raises InputError when there are none."""
    return topic_files(folder, "contraries")


def read_contraries(folder: Path) -> list[Contraries]:
    """Return the pairs of all files. Raises InputError (file, line, field) when one is invalid."""
    return [
        _checked(one, path, line)
        for path in contraries_files(folder).values()
        for line, one in located(read_bytes(path), Contraries, path)
    ]


def is_held_out(pair: Contraries) -> bool:
    """Return True if no model learns from the pair."""
    return number_of("contraries", pair.claim) < HELD_OUT


def _checked(one: Contraries, path: Path, line: int) -> Contraries:
    for name in _TEXTS:
        if not getattr(one, name).strip():
            raise InputError("is empty", path=path, line=line, field=name)
    if len(set(one.pages)) < len(one.pages):
        raise InputError("two pages have the same text", path=path, line=line)
    return one
