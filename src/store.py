"""Reading and encoding of typed records: JSON lists and JSON lines.

A file may be a JSON list or JSON lines, gzipped or not; its content decides. A file of the wrong shape raises
InputError with file, line and field.

Limitations: files are written by `src/atomic_file.py`. Progress files are read by `src/append_only.py`, scraped pages
by `src/knowledge_store.py`.
"""

import gzip
import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator
from io import BytesIO
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from src.errors import InputError
from src.json_decoding import decode
from src.records import Claim
from src.shape_error import shape_error
from src.unpacking import read_unpacked

SPLITS = ("train", "dev", "test")

T = TypeVar("T")


class _Keyed(Protocol):
    claim_id: int


Keyed = TypeVar("Keyed", bound=_Keyed)


def read_records(path: Path, type_: type[T]) -> list[T]:
    """Return all records of a JSON list or JSON-lines file, in file order.

    Raises InputError (file, line, field) when the file cannot be read.
    """
    return [record for _, record in located(read_bytes(path), type_, path)]


def read_by_claim(path: Path, type_: type[Keyed]) -> list[Keyed]:
    """Return all records of a file with one record per claim, in file order.

    Raises InputError (file, line, field) when the file cannot be read, or when a claim_id occurs twice.
    """
    entries = located(read_bytes(path), type_, path)
    refuse_doubles([(line, record.claim_id) for line, record in entries], path)
    return [record for _, record in entries]


def read_claims(path: Path) -> list[Claim]:
    """Return the claims of a split; a claim without a claim_id gets its index in the file (from 0).

    Raises InputError when the file is missing, has the wrong shape, or has one claim_id twice.
    """
    if not path.exists():
        raise InputError(f"not found; {remedy(path)}", path=path)
    entries = located(read_bytes(path), Claim, path)
    for index, (_, claim) in enumerate(entries):
        claim.claim_id = index if claim.claim_id < 0 else claim.claim_id
    refuse_doubles([(line, claim.claim_id) for line, claim in entries], path)
    return [claim for _, claim in entries]


def remedy(path: Path) -> str:
    """Return advice, for an error message, on how to get a missing file of claims."""
    if path.stem in SPLITS:
        return f"bring it with: bash script/download.sh {path.stem} claims (or place your own file there)"
    return (
        "give a file of claims, such as data_store/sample/claims.json, or bring a published one: "
        "bash script/download.sh dev claims"
    )


def refuse_doubles(ids: Iterable[tuple[int, int]], path: Path) -> None:
    """Raise InputError if a claim_id of the (line, claim_id) pairs occurs twice."""
    seen: dict[int, int] = {}
    for line, claim_id in ids:
        if claim_id in seen:
            message = f"claim_id {claim_id} is already on line {seen[claim_id]}"
            raise InputError(message, path=path, line=line, field="claim_id")
        seen[claim_id] = line


def read_bytes(path: Path) -> bytes:
    """Return the file's bytes, decompressed if gzipped, without a byte-order mark.

    Raises InputError when the file cannot be read.
    """
    try:
        return plain(path.read_bytes())
    except FileNotFoundError:
        raise InputError("not found", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder; name a file in it", path=path) from None
    except (OSError, EOFError, zlib.error, ValueError) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None


def plain(data: bytes) -> bytes:
    """Return the bytes, decompressed if gzipped, without a byte-order mark.

    Raises ValueError when the output is too large, and the errors of `gzip` for damaged data.
    """
    if data[:2] == b"\x1f\x8b":
        data = read_unpacked(gzip.GzipFile(fileobj=BytesIO(data)), len(data))
    return data.removeprefix(b"\xef\xbb\xbf")


def read_json(path: Path, type_: type[T]) -> T:
    """Return the record in a file of one JSON value. Raises InputError (file, field) when it cannot be read."""
    try:
        return decode(read_bytes(path), type_)
    except msgspec.DecodeError as error:
        raise shape_error(error, path, 1, type_) from None


def located(data: bytes, type_: type[T], path: Path) -> list[tuple[int, T]]:
    """Return every item of a JSON list or of JSON lines as (1-based line number, record).

    The line number is that of the item's first character. Raises InputError with line and field for the first item of
    the wrong shape.
    """
    pieces = _list_items(data, path) if data.lstrip()[:1] == b"[" else _lines(data)
    records = []
    for line, piece in pieces:
        try:
            records.append((line, decode(piece, type_)))
        except msgspec.DecodeError as error:
            raise shape_error(error, path, line, type_) from None
    return records


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield number, line


def _list_items(data: bytes, path: Path) -> Iterator[tuple[int, bytes]]:
    try:
        items = decode(data, list[msgspec.Raw])
    except msgspec.DecodeError as error:
        match = re.search(r"byte (\d+)", str(error))
        end = int(match[1]) if match else len(data)
        raise InputError(str(error), path=path, line=data.count(b"\n", 0, end) + 1) from None
    line, position = 1, 0
    for item in items:
        piece = bytes(item)
        start = data.index(piece, position)
        line += data.count(b"\n", position, start)
        yield line, piece
        line += piece.count(b"\n")
        position = start + len(piece)


def encode_line(record: object) -> bytes:
    """Return a record as one line of JSON, with newline, in the spacing of the published files."""
    return msgspec.json.format(msgspec.json.encode(record), indent=0) + b"\n"


def encode_lines(records: Iterable[object]) -> bytes:
    """Return the records as JSON lines."""
    return b"".join(map(encode_line, records))


def encode_list(records: Iterable[object]) -> bytes:
    """Return the records as one JSON list, indented by four spaces like the published prediction files."""
    return b"".join(list_pieces(records))


def list_pieces(records: Iterable[object]) -> Iterator[bytes]:
    """Yield the bytes of `encode_list` record by record, so that a long list needs no memory."""
    before = b"["
    for record in records:
        alone = msgspec.json.format(b"[%b]" % msgspec.json.encode(record), indent=4)
        yield before + alone.removeprefix(b"[").removesuffix(b"\n]")
        before = b","
    yield b"[]\n" if before == b"[" else b"\n]\n"


def storable(text: str) -> str:
    """Return the text with lone surrogates escaped, since JSON cannot contain them.

    Names of files that are not valid UTF-8 contain lone surrogates in Python.
    """
    return text.encode("utf-8", "backslashreplace").decode()


def sha256(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
