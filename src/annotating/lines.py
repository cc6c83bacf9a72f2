"""Lines of a file of people's answers, of which a kill may have left the last one half written."""

from pathlib import Path

import msgspec

from src.json_decoding import decode
from src.runner.console import say_error
from src.store import read_bytes

_BEGIN = b'{"annotator": '


def read_whole(path: Path) -> bytes:
    """Return the file's bytes without half a line at its end, which is reported on stderr. Raises InputError."""
    data = read_bytes(path)
    whole = whole_lines(data)
    if len(whole) < len(data):
        say_error(f"{path}: its last line is half a line, left out")
    return whole


def whole_lines(data: bytes) -> bytes:
    """Return the bytes without the half line that a kill may leave at the end."""
    end = data.rfind(b"\n") + 1
    return data[:end] if _is_half(data[end:]) else data


def _is_half(last: bytes) -> bool:
    """Return True for the beginning of a line of ours; the reader complains about anything else."""
    if not (last.startswith(_BEGIN) or _BEGIN.startswith(last)):
        return False
    try:
        decode(last, object)
    except msgspec.DecodeError:
        return True
    return False
