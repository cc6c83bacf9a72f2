"""Lines of an answers file, whose last line may be half written after a kill."""

from pathlib import Path

from src.append_only import without_half_line
from src.runner.console import say_error
from src.store import read_bytes

_BEGIN = b'{"annotator": '


def read_whole(path: Path) -> bytes:
    """Return the file's bytes without a half line at the end, which is reported on stderr. Raises InputError as
    `read_bytes`.
    """
    data = read_bytes(path)
    whole = whole_lines(data)
    if len(whole) < len(data):
        say_error(f"{path}: its last line is half a line, left out")
    return whole


def whole_lines(data: bytes) -> bytes:
    """Return the bytes without the half line that a kill may leave at the end."""
    return without_half_line(data, _BEGIN)
