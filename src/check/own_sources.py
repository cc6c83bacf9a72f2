"""Sources that a user names on the command line: addresses, lists of addresses, documents, and pasted text."""

import re
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from src.check.asking import wrong_url
from src.check.records import OwnDocument
from src.errors import InputError
from src.store import read_bytes

STDIN = "-"
_BEGINNINGS = {".docx": b"PK\x03\x04", ".pdf": b"%PDF"}
_WITHIN = 1024  # bytes at the beginning of a document that have its mark
MOST_BYTES = 20_000_000  # of a document, as of a page


def urls_of(given: Sequence[str]) -> tuple[str, ...]:
    """Return the URLs that are given: addresses, files with one a line, and "-" for such lines on standard input.

    Each is there once. Raises InputError with file and line.
    """
    urls: dict[str, None] = {}
    for one in given:
        if is_address(one):
            if wrong := wrong_url(one):
                raise InputError(f"--urls: {one[:200]!r} {wrong}")
            urls.setdefault(one)
        elif _is_bare_address(one):
            raise InputError(f"--urls: {one[:200]!r} is no file; an address begins with https:// or http://")
        else:
            urls |= dict.fromkeys(_in_list(one))
    return tuple(urls)


def is_address(name: str) -> bool:
    """Return True if a name is meant as an http or https address, not as a file."""
    return name.lower().startswith(("http://", "https://"))


def _is_bare_address(name: str) -> bool:
    """Return True for a name that is no file and looks like an address without https://: `example.org/page`."""
    return re.match(r"www\.|[\w-]+(\.[\w-]+)+/", name, re.IGNORECASE) is not None and not Path(name).exists()


def _in_list(name: str) -> Iterable[str]:
    """Return the URLs in a file or on standard input. Raises InputError."""
    path = "standard input" if name == STDIN else Path(name)
    urls = []
    for number, raw in enumerate(_bytes_of(name).split(b"\n"), start=1):
        try:
            line = raw.decode().strip()
        except UnicodeDecodeError:
            raise InputError("is no text; a document goes with --file", path=path, line=number) from None
        if line and (wrong := wrong_url(line)):
            raise InputError(f"{line[:200]!r} {wrong}", path=path, line=number)
        if line:
            urls.append(line)
    if not urls:
        raise InputError("holds no URL", path=path)
    return urls


def documents_of(files: Sequence[Path], texts: Sequence[str]) -> tuple[OwnDocument, ...]:
    """Return the documents in files and the pasted texts; "-" is a text on standard input.

    Addresses are `file:NAME`, without the folder, and `text:N`. Raises InputError for a file that cannot be read or is
    too large, and for an empty text.
    """
    documents: dict[str, OwnDocument] = {}
    for path in files:
        content = read_bytes(path)
        if len(content) > MOST_BYTES:
            raise InputError(f"has {len(content) / 1e6:.0f} MB; at most {MOST_BYTES / 1e6:.0f} are read", path=path)
        if (beginning := _BEGINNINGS.get(path.suffix.lower())) and beginning not in content[:_WITHIN]:
            raise InputError(f"is no {path.suffix[1:]} file", path=path)
        url = _new_name(f"file:{path.name}", documents)
        documents[url] = OwnDocument(url, content)
    for number, text in enumerate(texts, start=1):
        content = _bytes_of(text) if text == STDIN else text.encode("utf-8", "replace")
        if not content.strip():
            raise InputError("--text: the text is empty")
        documents[f"text:{number}"] = OwnDocument(f"text:{number}", content)
    return tuple(documents.values())


def _bytes_of(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == STDIN else read_bytes(Path(name))


def _new_name(name: str, known: Iterable[str]) -> str:
    """Return the name, with a number behind it if it is known already."""
    taken, number, new = set(known), 1, name
    while new in taken:
        number += 1
        new = f"{name} ({number})"
    return new
