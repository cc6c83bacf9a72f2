"""Knowledge store: the scraped pages of each claim, in one JSON-lines file `<claim_id>.json` per claim, or in memory.

A store is a folder of such files, a published zip of such files, or a folder of such zips. Zips are read without
unpacking them to disk. A file of the wrong shape fails its claim, not the run.
"""

import hashlib
import re
import struct
import zipfile
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import msgspec

from src.errors import InputError, StoreError, locate
from src.json_decoding import decode
from src.records import MOST_ID, Document, Sentence
from src.shape_error import shape_error
from src.store import SPLITS, encode_lines, plain, read_bytes
from src.unpacking import read_unpacked

# What zipfile raises on damaged, encrypted or unusually compressed archives, besides BadZipFile.
_BAD_ZIP = (zipfile.BadZipFile, zlib.error, OSError, EOFError, RuntimeError, ValueError, struct.error)


class Store(Protocol):
    """Scraped pages by claim, in files (`KnowledgeStore`) or in memory (`StoreInMemory`)."""

    def file(self, claim_id: int) -> "ClaimFile":
        """Return the claim's pages. Raises StoreError when they are missing or cannot be read."""


class StoreInMemory:
    """Scraped pages by claim, in memory: `StoreInMemory({claim_id: documents})`."""

    def __init__(self, pages: Mapping[int, Sequence[Document]]) -> None:
        self._pages = pages

    def file(self, claim_id: int) -> "ClaimFile":
        if claim_id not in self._pages:
            raise StoreError(f"there are no pages of claim {claim_id}")
        return ClaimFile(Path(f"{claim_id}.json"), encode_lines(self._pages[claim_id]))


class KnowledgeStore:
    """Scraped pages by claim, in a folder or zip: `KnowledgeStore(path)[claim_id]` is the list of the claim's pages.

    Raises InputError when the folder or zip is missing, StoreError for a claim whose file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        self.path = _existing(path)
        self._files: dict[int, Path] = {}
        self._members: dict[int, tuple[zipfile.ZipFile, str]] = {}
        if self.path.is_file():
            self._add_zip(self.path)
            return
        for file in sorted(self.path.iterdir()):
            if file.suffix == ".zip":
                self._add_zip(file)
            elif (claim_id := _claim_id(file.name)) is not None:
                self._files[claim_id] = file

    def __reduce__(self) -> tuple[type["KnowledgeStore"], tuple[Path]]:
        """Pickle the store as its path: another process opens it again."""
        return KnowledgeStore, (self.path,)

    def __len__(self) -> int:
        return len(self._files.keys() | self._members.keys())

    def __contains__(self, claim_id: int) -> bool:
        return claim_id in self._files or claim_id in self._members

    def __getitem__(self, claim_id: int) -> list[Document]:
        return self.file(claim_id).documents

    def sentences(self, claim_id: int) -> list[Sentence]:
        """Return all sentences of the claim's pages, in file order. Raises StoreError when the file cannot be read."""
        return self.file(claim_id).sentences()

    def file(self, claim_id: int) -> "ClaimFile":
        """Read and return the claim's file. Raises StoreError when it is missing or cannot be read."""
        return ClaimFile(self._name(claim_id), self._bytes(claim_id))

    def refuse_without(self, claim_ids: Iterable[int]) -> None:
        """Raise InputError if the store has a file for none of the claims, since the path is then probably wrong."""
        if not any(claim_id in self for claim_id in claim_ids):
            raise InputError("holds no file of any of the claims, such as 0.json", path=self.path)

    def size(self, claim_id: int) -> int:
        """Return the approximate size in bytes of the claim's file, or 0 if there is none."""
        if claim_id in self._members:
            archive, member = self._members[claim_id]
            return archive.getinfo(member).file_size
        path = self._name(claim_id)
        return path.stat().st_size if path.exists() else 0

    def last(self) -> int:
        """Return the highest claim_id that has a file, or -1 if there is none."""
        return max(self._files.keys() | self._members.keys(), default=-1)

    def _name(self, claim_id: int) -> Path:
        if claim_id in self._files:
            return self._files[claim_id]
        if claim_id in self._members:
            archive, member = self._members[claim_id]
            return Path(str(archive.filename)) / member
        return self.path / f"{claim_id}.json"

    def _bytes(self, claim_id: int) -> bytes:
        if claim_id in self._files:
            try:
                return read_bytes(self._files[claim_id])
            except InputError as error:
                raise StoreError(str(error)) from None
        if claim_id not in self._members:
            raise StoreError(f"{self._name(claim_id)}: the knowledge store has no file for claim {claim_id}")
        archive, member = self._members[claim_id]
        try:
            with archive.open(member) as file:
                return plain(read_unpacked(file, archive.getinfo(member).compress_size))
        except _BAD_ZIP as error:
            raise StoreError(f"{self._name(claim_id)}: cannot be read: {error}") from None

    def _add_zip(self, path: Path) -> None:
        try:
            archive = zipfile.ZipFile(path)
        except _BAD_ZIP as error:
            raise InputError(f"not a readable zip: {error}", path=path) from None
        for member in archive.namelist():
            claim_id = _claim_id(member.rpartition("/")[2])
            if claim_id is None or member.startswith("__MACOSX"):
                continue
            if claim_id in self._members:
                other = self._members[claim_id][0].filename
                raise InputError(f"claim {claim_id} is also in {other}; which is meant?", path=path)
            self._members[claim_id] = (archive, member)


@dataclass(frozen=True)
class ClaimFile:
    """The file with a claim's pages; it is parsed once.

    `path`: path of the file, or only a name if the pages are in memory.
    `data`: decompressed bytes of the file.
    """

    path: Path
    data: bytes

    @cached_property
    def sha256(self) -> str:
        """Return the hexadecimal SHA-256 of `data`, used as key of caches."""
        return hashlib.sha256(self.data).hexdigest()

    @cached_property
    def documents(self) -> list[Document]:
        """Return the claim's pages, in file order. Raises StoreError when a line has the wrong shape."""
        return _documents(self.data, self.path)

    def sentences(self) -> list[Sentence]:
        """Return all sentences of the claim's pages in file order, with repeated and empty ones.

        Raises StoreError when a line has the wrong shape.
        """
        return [Sentence(text, page.url) for page in self.documents for text in page.url2text]


def _existing(path: Path) -> Path:
    if path.exists():
        return path
    published = path.parent.parent / f"output_{path.name}"
    if path.parent.name == "knowledge_store" and published.is_dir():
        return published
    split = path.name if path.name in SPLITS else "dev"
    hint = f"bring a published one with: bash script/download.sh {split} knowledge_store, or scrape one"
    raise InputError(f"no knowledge store there; {hint}", path=path)


def _claim_id(name: str) -> int | None:
    match = re.fullmatch(r"([0-9]{1,19})\.json(?:\.gz)?", name)
    claim_id = int(match[1]) if match else MOST_ID + 1
    return claim_id if claim_id <= MOST_ID else None


def _documents(data: bytes, path: Path) -> list[Document]:
    documents = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            documents.append(decode(line, Document))
        except msgspec.DecodeError as error:
            wrong = shape_error(error, path, number, Document)
            raise StoreError(locate(wrong.message, path=path, line=number, field=wrong.field)) from None
    return documents
