"""File of people's answers while a page is served: one process holds it, an answer is on the disk before it counts."""

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from src.annotating.lines import whole_lines
from src.errors import InputError, OutputError
from src.runner.journal import lock
from src.store import encode_lines
from src.whole_file import append_whole, bears

Key = TypeVar("Key", bound=Hashable, covariant=True)


class HasKey(Protocol[Key]):
    """An answer; a later one of the same key replaces it."""

    @property
    def key(self) -> Key: ...


Answer = TypeVar("Answer", bound=HasKey[Hashable])


class AnswersFile(Generic[Answer]):
    """`with AnswersFile(path, read) as file:` has the answers of the file in `file.kept`, by their keys.

    Keys stand in the order of their first answers. `torn` says that half a line, which a kill had left, was removed.
    Raises BusyError where another process holds it, InputError as `read`, OutputError when it cannot be written.
    """

    def __init__(self, path: Path, read: Callable[[bytes], Sequence[Answer]]) -> None:
        self.path, self._decode = path, read
        self.kept: dict[Hashable, Answer] = {}
        self.torn = False
        self._descriptor = -1

    def __enter__(self) -> Self:
        self._descriptor = lock(self.path)
        try:
            with self._errors_of_disk():
                self._read()
        except BaseException:
            os.close(self._descriptor)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):  # an empty file that stays does no harm
            empty = self.path.is_file() and not os.fstat(self._descriptor).st_size
            if empty and bears(self.path, self._descriptor):
                self.path.unlink()
        os.close(self._descriptor)

    def add(self, answers: Sequence[Answer]) -> None:
        """Append all of them or none. Raises OutputError (disk full, name taken); the file is then unchanged."""
        with self._errors_of_disk():
            if not bears(self.path, self._descriptor):
                raise OutputError(f"cannot write {self.path}: it was removed or replaced; start annotate again")
            append_whole(self._descriptor, encode_lines(answers))
        self.kept.update((one.key, one) for one in answers)

    def _read(self) -> None:
        data = self.path.read_bytes()
        if data.lstrip()[:1] == b"[":
            raise InputError("is a JSON list; answers are added to JSON lines, name another file", path=self.path)
        whole = whole_lines(data)
        self.kept = {one.key: one for one in self._decode(whole)}
        self.torn = len(whole) < len(data)
        if self.torn:
            os.ftruncate(self._descriptor, len(whole))
        if whole and not whole.endswith(b"\n"):
            append_whole(self._descriptor, b"\n")

    @contextmanager
    def _errors_of_disk(self) -> Iterator[None]:
        """Turn errors of the disk into OutputError."""
        try:
            yield
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from None
