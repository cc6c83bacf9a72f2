"""Messages between the process that requests pages and the workers that read them.

A frame is a big-endian length of four bytes and a MessagePack record.
"""

from typing import BinaryIO, TypeVar

import msgspec

from src.retrieval.pages.reader import PageText, Reading

LENGTH_BYTES = 4

T = TypeVar("T")


class Task(msgspec.Struct, array_like=True, frozen=True):
    """The first frame to a worker: the settings of reading, its memory limit, and the process id of its parent."""

    reading: Reading
    megabytes: int
    parent: int


class Started(msgspec.Struct, array_like=True, frozen=True):
    """The worker's first frame. `error` is the name of the error that keeps it from working, or empty."""

    error: str = ""
    message: str = ""


class Request(msgspec.Struct, array_like=True, frozen=True):
    """A page to read; `path` is absolute, in the bytes of the file system."""

    path: bytes
    url: str
    content_type: str


class Reply(msgspec.Struct, array_like=True, frozen=True):
    """The worker's reply. `worn` asks to replace this worker."""

    page: PageText
    worn: bool = False


def frame(record: object) -> bytes:
    """Return the record as a frame."""
    body = msgspec.msgpack.encode(record)
    return len(body).to_bytes(LENGTH_BYTES) + body


def receive(file: BinaryIO, type_: type[T]) -> T | None:
    """Return the next record; None at the end of the file, also in the middle of a frame."""
    head = file.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head)
    body = file.read(length)
    return msgspec.msgpack.decode(body, type=type_) if len(body) == length else None
