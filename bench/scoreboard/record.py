"""The scoreboard's file: a row for each system on each evidence; one that is measured again replaces the old one."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from src.atomic_file import write_whole
from src.evaluation.scoreboard import Scoreboard
from src.store import read_json

Kind = Literal["published", "ours", "ablation"]


class Figure(msgspec.Struct, frozen=True):
    """A figure with its 95 % interval, by claim."""

    value: float
    low: float
    high: float


class Coverage(msgspec.Struct, frozen=True):
    """Number of gold answers, and the share that the evidence's answers cover (`bench/coverage.py`)."""

    answers: int
    together: Figure
    single: Figure


class StepRecord(msgspec.Struct, omit_defaults=True):
    """How a step made its file: from its manifest. `model` is its name, with its hash where there is one; `hashes` are
    those of what was trained on top of it, and of other runs that were asked, too."""

    seconds: float
    model: str = ""
    settings: dict[str, str] = {}
    revision: str | None = None
    hashes: dict[str, str] = {}


class Row(msgspec.Struct, kw_only=True, omit_defaults=True):
    """`claims`: first and the one after the last. `pairs`: most that a claim has, `mean_pairs` their mean, None where
    it was not kept. `scores` hold intervals and baselines.

    `covered` is None where the evidence are the gold answers themselves. `steps` are those of our own rows. `over`: by
    system and score, how far this one is above it, claim by claim.
    """

    evidence: str
    system: str
    kind: Kind
    claims: tuple[int, int]
    pairs: int
    scores: Scoreboard
    covered: Coverage | None = None
    steps: dict[str, StepRecord] = {}
    over: dict[str, dict[str, Figure]] = {}
    mean_pairs: float | None = None

    @property
    def measured_on(self) -> tuple[str, str, tuple[int, int]]:
        """Return the key of the row whose evidence an ablation changes; for other rows their own key."""
        system = self.system.partition("; ")[0] if self.kind == "ablation" else self.system
        return self.evidence, system, self.claims

    @property
    def key(self) -> tuple[str, str, tuple[int, int]]:
        return self.evidence, self.system, self.claims


class Result(msgspec.Struct):
    """`label_sha256` is that of the gold claims; `revision` the commit that measured last."""

    split: str = "dev"
    label_sha256: str = ""
    revision: str | None = None
    rows: list[Row] = []

    def add(self, rows: Sequence[Row]) -> None:
        """Each in the place of an older one of its key, without what was held against that one."""
        again = {row.key for row in rows}
        held = [row for row in self.rows if row.key in again or row.measured_on not in again]
        by_key = {row.key: row for row in [*held, *rows]}
        self.rows = list(by_key.values())


def read_result(path: Path) -> Result:
    """Return the earlier result; empty if the file does not exist. Raises InputError for another layout."""
    return read_json(path, Result) if path.exists() else Result()


def write_result(path: Path, result: Result) -> None:
    """Write the result atomically. Raises OutputError."""
    write_whole(path, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
