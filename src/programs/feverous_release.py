"""Readers of FEVEROUS' released files: claims whose evidence is only sentences, and sentences of its Wikipedia."""

import json
import sqlite3
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from src.errors import ClaimError, InputError
from src.store import located, read_bytes

SENTENCE = "_sentence_"
LABELS = {"SUPPORTS": "supports", "REFUTES": "refutes"}

Text = Callable[[str], tuple[str, str]]  # from a sentence's name to its page and its text


class _Set(msgspec.Struct):
    content: list[str]


class _Line(msgspec.Struct):
    """A line of the release. The first line of the file is empty: it has neither claim nor evidence."""

    claim: str = ""
    id: int | str = ""
    label: str = ""
    evidence: list[_Set] = []
    challenge: str = ""


class Released(msgspec.Struct, frozen=True):
    """A claim of FEVEROUS' release.

    `line`: its line in the file, from 1.
    `label`: `supports` or `refutes`.
    `challenge`: the kind of difficulty that the data set names.
    `names`: names of the sentences of its first evidence set, e.g. `Lund_sentence_3`.
    """

    line: int
    id: int
    claim: str
    label: str
    challenge: str
    names: list[str]


def sentences_alone(path: Path) -> list[Released]:
    """Return each labeled claim whose evidence is only sentences.

    Raises InputError (file, line, field) when a line cannot be read.
    """
    return [_released(one, line, path) for line, one in located(read_bytes(path), _Line, path) if _fits(one)]


def _fits(one: _Line) -> bool:
    named = [name for evidence_set in one.evidence for name in evidence_set.content]
    return one.label in LABELS and bool(named) and all(SENTENCE in name for name in named)


def _released(one: _Line, line: int, path: Path) -> Released:
    if isinstance(one.id, str):
        raise InputError(f"{one.id!r} is no whole number", path=path, line=line, field="id")
    return Released(line, one.id, one.claim, LABELS[one.label], one.challenge, one.evidence[0].content)


@contextmanager
def opened(path: Path) -> Iterator[Text]:
    """Open FEVEROUS' Wikipedia; yield a function that returns the page and the text of a sentence, given its name.

    The function raises ClaimError when the sentence does not exist, and InputError (file, page) when the page cannot be
    read. Raises InputError when the file is not FEVEROUS' Wikipedia.
    """
    try:
        wiki = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
        try:
            yield lambda name: _sentence(wiki, name, path)
        finally:
            wiki.close()
    except sqlite3.Error as error:
        raise InputError(f"is not a file of FEVEROUS' Wikipedia: {error}", path=path) from None


def _sentence(wiki: sqlite3.Connection, name: str, path: Path) -> tuple[str, str]:
    """Return the page and the text of a sentence, given its name.

    `Lund_sentence_3` is `sentence_3` of the page `Lund`. Raises ClaimError when there is no such sentence.
    """
    title, _, number = name.rpartition(SENTENCE)
    text = _page(wiki, title, path).get(f"{SENTENCE[1:]}{number}")
    if not isinstance(text, str):
        raise ClaimError(f"no such sentence: {name}")
    return title, " ".join(text.split())


def _page(wiki: sqlite3.Connection, title: str, path: Path) -> dict[str, Any]:
    """Return the data of the page with this title; empty if there is no such page."""
    row = wiki.execute("SELECT data FROM wiki WHERE id = ?", (unicodedata.normalize("NFD", title),)).fetchone()
    if row is None:
        return {}
    try:
        page = json.loads(row[0])
    except TypeError:
        raise InputError(f"page {title!r} cannot be read: its data is not text", path=path) from None
    except ValueError as error:
        raise InputError(f"page {title!r} cannot be read: {error}", path=path) from None
    if not isinstance(page, dict):
        raise InputError(f"page {title!r} cannot be read: it is not a JSON object", path=path)
    return page
