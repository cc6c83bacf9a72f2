"""Messages between the process that requests pages and the workers that read them.

A frame is a big-endian length of four bytes and a MessagePack record.
"""

from typing import BinaryIO, TypeVar

import msgspec

from src.retrieval.pages.reader import PageText, Reading

LENGTH_BYTES = 4

T = TypeVar("T")


class Task(msgspec.Struct, array_like=True, frozen=True):
    """The first message to a worker.

    `reading`: settings of reading pages.
    `megabytes`: memory limit for reading pages.
    `parent`: process id of the parent.
    """

    reading: Reading
    megabytes: int
    parent: int


class Started(msgspec.Struct, array_like=True, frozen=True):
    """The worker's first message. `error` is the class name of an error in its start, or "" if it is ready."""

    error: str = ""
    message: str = ""


class Request(msgspec.Struct, array_like=True, frozen=True):
    """Message to a worker: a page to read.

    `path`: absolute path, in the bytes of the file system.
    `url`: URL of the page.
    `content_type`: Content-Type header of the server.
    """

    path: bytes
    url: str
    content_type: str


class Reply(msgspec.Struct, array_like=True, frozen=True):
    """The worker's reply to a Request. `worn`: the worker uses much memory and should be replaced."""

    page: PageText
    worn: bool = False


def frame(record: object) -> bytes:
    """Return a message as a frame: its length in four bytes, then MessagePack."""
    body = msgspec.msgpack.encode(record)
    return len(body).to_bytes(LENGTH_BYTES) + body


def receive(file: BinaryIO, type_: type[T]) -> T | None:
    """Read the next frame and return its message; None at the end of the file, even in the middle of a frame."""
    head = file.read(LENGTH_BYTES)
    if len(head) < LENGTH_BYTES:
        return None
    length = int.from_bytes(head)
    body = file.read(length)
    return msgspec.msgpack.decode(body, type=type_) if len(body) == length else None
