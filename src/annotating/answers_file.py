"""File of annotators' answers, locked by the process that serves the page. An answer counts once it is on disk.

If the process is killed, the last line may be half written; it is then left out or removed.
"""

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Generic, Protocol, Self, TypeVar

from src.append_only import AppendOnlyFile, without_half_line
from src.errors import InputError, OutputError
from src.runner.console import say_error
from src.store import encode_lines, read_bytes

_BEGIN = b'{"annotator": '


def read_whole(path: Path) -> bytes:
    """Return the file's bytes without an incomplete last line, which is reported on stderr.

    Raises InputError if the file cannot be read.
    """
    data = read_bytes(path)
    whole = whole_lines(data)
    if len(whole) < len(data):
        say_error(f"{path}: its last line is half a line, left out")
    return whole


def whole_lines(data: bytes) -> bytes:
    """Return the bytes without an incomplete last line, which a killed process may leave."""
    return without_half_line(data, _BEGIN)


Key = TypeVar("Key", bound=Hashable, covariant=True)


class HasKey(Protocol[Key]):
    """An answer; a later answer with the same key replaces it."""

    @property
    def key(self) -> Key: ...


Answer = TypeVar("Answer", bound=HasKey[Hashable])


class AnswersFile(Generic[Answer]):
    """File of answers: `with AnswersFile(path, read) as file:` reads them into the dict `file.answers`.

    The dict maps an answer's `key` to the last answer with this key, in the order of the first answers. `read` parses
    the bytes of the file. `torn` is True if an incomplete last line was removed. Raises BusyError when another process
    has locked the file, InputError as `read`, OutputError when the file cannot be written.
    """

    def __init__(self, path: Path, read: Callable[[bytes], Sequence[Answer]]) -> None:
        self.path, self._decode = path, read
        self.answers: dict[Hashable, Answer] = {}
        self.torn = False
        self._file: AppendOnlyFile

    def __enter__(self) -> Self:
        self._file = AppendOnlyFile(self.path)
        try:
            self._read()
        except BaseException:
            self._file.close()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OutputError):  # an empty file that remains does no harm
            if not self._file.size and self.path.is_file() and self._file.has_its_name():
                self._file.remove()
        self._file.close()

    def add(self, answers: Sequence[Answer]) -> None:
        """Append answers atomically and add them to `answers`.

        Raises OutputError (disk full, file removed or replaced); the file is then unchanged.
        """
        if not self._file.has_its_name():
            raise OutputError(f"cannot write {self.path}: it was removed or replaced; start annotate again")
        self._file.append(encode_lines(answers))
        self.answers.update((one.key, one) for one in answers)

    def _read(self) -> None:
        data = self._file.read()
        if data.lstrip()[:1] == b"[":
            raise InputError("is a JSON list; answers are added to JSON lines, name another file", path=self.path)
        whole = whole_lines(data)
        self.answers = {one.key: one for one in self._decode(whole)}
        self.torn = len(whole) < len(data)
        self._file.cut(len(whole))
        if whole and not whole.endswith(b"\n"):
            self._file.append(b"\n")
