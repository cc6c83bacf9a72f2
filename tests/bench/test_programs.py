"""The commands of the benchmark of programs are ones that the steps take, and its scores can be shown."""

import importlib
import shlex
from pathlib import Path

import msgspec
import pytest

from bench.program_tables import of_report, of_summary
from bench.programs import PARTS, RESULTS
from src.programs.records import TwoLabel
from src.programs.scoring.figures import Difference, Figure
from src.programs.scoring.floors import Floors, Spread
from src.programs.scoring.over_seeds import GroupSpread, Summary
from src.programs.scoring.report import GroupScore, Report, TraceScore

FLOORS = Floors(TwoLabel.REFUTES, 0.32, 0.34, 0.5, 0.8, Spread(0.7, 0.05))


@pytest.mark.parametrize("part", list(PARTS))
def test_each_step_takes_its_flags(part: str) -> None:
    for command in PARTS[part]():
        module, *flags = shlex.split(command)
        if module.startswith("src."):
            taken = vars(importlib.import_module(module).parser().parse_args(flags))
            assert any(value and str(value) in flags for value in taken.values())


def test_files_of_ids_are_there() -> None:
    for part in PARTS.values():
        for command in part():
            assert all(Path(word).exists() for word in shlex.split(command) if word.startswith("bench/splits/"))


def test_a_report_as_a_table() -> None:
    first = TraceScore(Figure(0.6, (0.5, 0.7)), Figure(0.6, (0.5, 0.7)), 0.0, 0.0, 4, None)
    more = Figure(0.75, (0.6, 0.9), Difference(0.15, (-0.01, 0.3)))
    second = msgspec.structs.replace(first, macro_f1=more)
    report = Report(
        ["out/whole.json", "out/steps.json"], 4, [GroupScore("all", 4, 2, [first, second], FLOORS)], [], [], []
    )
    head, _, row, _ = of_report(report).splitlines()
    assert head == "| claims | whole | steps | steps less whole | one label | > 1 passage | new words |"
    cells = row.replace("\N{EN DASH}", "-").replace("\N{MINUS SIGN}", "-").strip("| ").split(" | ")
    assert cells[:4] == ["4, all", "60.0 (50.0-70.0)", "75.0 (60.0-90.0)", "+15.0 (-1.0 to +30.0)"]
    assert cells[4:] == ["34.0", "80.0", "70.0 ± 5.0"]


def test_seeds_as_a_table() -> None:
    summary = Summary(
        "models/mpnet", "gold", 20, [0, 1], [GroupSpread("all", 4, 2, Spread(0.6, 0.1), [0.5, 0.7], FLOORS)]
    )
    assert of_summary(summary).splitlines()[-1] == "| mpnet | 60.0 ± 10.0 |"


def test_what_was_measured_can_be_read() -> None:
    for path in RESULTS.glob("programs_*.json"):
        if ".manifest" not in path.suffixes and not path.stem.startswith("programs_few_shot"):
            assert of_report(msgspec.json.decode(path.read_bytes(), type=Report))
