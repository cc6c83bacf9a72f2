"""Reader of `measured_timings.txt`, which run_system.sh writes."""

import re
from pathlib import Path

import msgspec

DOWNLOAD, MAIN = "Data Download", "Main Execution"
_NUMBER = r"\d+(?:\.\d+)?"
_LINE = re.compile(
    rf"(?P<part>[\w ]+): (?P<seconds>{_NUMBER}) seconds, from (?P<began>{_NUMBER}) to (?P<ended>{_NUMBER})"
)


class Timing(msgspec.Struct, frozen=True):
    """Time of a part: its length in seconds, and its bounds in seconds since 1970."""

    seconds: float
    began: float
    ended: float


def read_timings(path: Path) -> dict[str, Timing]:
    """Return the timings of a run by part; {} if the file is missing or has other lines."""
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    matches = [match for line in lines if (match := _LINE.fullmatch(line))]
    return {one["part"]: Timing(float(one["seconds"]), float(one["began"]), float(one["ended"])) for one in matches}
