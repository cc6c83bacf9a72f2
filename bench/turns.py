"""The bench's file: a row for each thing that was measured; one that is measured again replaces the old one."""

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from time import perf_counter

import msgspec

from src.atomic_file import write_whole
from src.llm.measure import machine
from src.store import read_json


class Speeds(msgspec.Struct):
    """Units a second of each turn, ours and the reference's, the ratio of their medians, and where that was."""

    unit: str
    ours: list[float]
    reference: list[float]
    times: float
    machine: str
    notes: dict[str, float | str] = {}

    def __str__(self) -> str:
        notes = "".join(f", {name} {value}" for name, value in self.notes.items())
        ours, reference = median(self.ours), median(self.reference)
        return f"{ours:10.3f} {self.unit}, reference {reference:.3f}: {self.times} times{notes}"


Rows = dict[str, Speeds]


def speeds(unit: str, ours: Sequence[float], reference: Sequence[float], notes: dict[str, float | str]) -> Speeds:
    times = round(median(ours) / median(reference), 1)
    return Speeds(unit, _rounded(ours), _rounded(reference), times, machine(), notes)


def _rounded(rates: Sequence[float]) -> list[float]:
    return [round(rate, 3) for rate in rates]


def rate(count: int, work: Callable[[], object]) -> float:
    """Return how many units a second one run of the work handles."""
    began = perf_counter()
    work()
    return count / (perf_counter() - began)


def read_rows(path: Path) -> Rows:
    """Return the earlier rows, of any machine. Raises InputError for another layout."""
    return read_json(path, Rows) if path.exists() else {}


def write_rows(path: Path, rows: Rows) -> None:
    """Write the rows atomically. Raises OutputError."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(rows), indent=2) + b"\n")
