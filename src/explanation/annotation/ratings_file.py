"""The file of ratings while a study runs: one process holds it, and each rating is on the disk before it is told so."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from src.errors import InputError, OutputError
from src.explanation.annotation.ratings import Rating, read_ticked, whole_lines
from src.explanation.annotation.shown import Text
from src.explanation.records import Item
from src.runner.journal import lock
from src.store import encode_lines
from src.whole_file import append_whole, bears


class RatingsFile:
    """`with RatingsFile(path, texts) as file:` knows what stands there, by annotator and item, in `file.kept`.

    `torn` says that half a line, which a kill had left, was removed.
    Raises BusyError where another process holds it, InputError as `read_ticked`, OutputError when it cannot be written.
    """

    def __init__(self, path: Path, texts: Mapping[Item, Text]) -> None:
        self.path, self._texts = path, texts
        self.kept: dict[tuple[str, Item], Rating] = {}
        self.torn = False
        self._descriptor = -1

    def __enter__(self) -> Self:
        self._descriptor = lock(self.path)
        try:
            with self._told():
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

    def add(self, ratings: Sequence[Rating]) -> None:
        """All of them or none. Raises OutputError (disk full, another file of this name), which leaves it as it was."""
        with self._told():
            if not bears(self.path, self._descriptor):
                raise OutputError(f"cannot write {self.path}: it was removed or replaced; start annotate again")
            append_whole(self._descriptor, encode_lines(ratings))
        self.kept.update(((one.annotator, one.item), one) for one in ratings)

    def _read(self) -> None:
        data = self.path.read_bytes()
        if data.lstrip()[:1] == b"[":
            raise InputError("is a JSON list; ratings are added to JSON lines, name another file", path=self.path)
        whole = whole_lines(data)
        self.kept = {(one.annotator, one.item): one for one in read_ticked(whole, self.path, self._texts)}
        self.torn = len(whole) < len(data)
        if self.torn:
            os.ftruncate(self._descriptor, len(whole))
        if whole and not whole.endswith(b"\n"):
            append_whole(self._descriptor, b"\n")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What the disk says, as OutputError."""
        try:
            yield
        except OSError as error:
            raise OutputError(f"cannot write {self.path}: {error.strerror or error}") from None
