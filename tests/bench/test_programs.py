"""The commands of the benchmark of programs are ones that the steps take, and its scores can be shown."""

import importlib
import shlex
from pathlib import Path

import msgspec
import pytest

from bench.program_tables import main, measured, of_report, of_summary, table_of
from bench.programs import DATA, PARTS, RESULTS, give_way
from src.errors import InputError
from src.evaluation.figures import Difference, Figure
from src.programs.records import TwoLabel
from src.programs.scoring.floors import Floors, Spread
from src.programs.scoring.over_seeds import GroupSpread, Summary
from src.programs.scoring.report import GroupScore, Report, TraceScore

FLOORS = Floors(TwoLabel.REFUTES, 0.32, 0.34, 0.5, 0.8, Spread(0.7, 0.05))


MADE = {"output", "output_folder", "json", "index_dir", "cache_dir"}  # what steps write; the last two only for speed


def parsed(command: str) -> dict[str, object]:
    """A step's arguments, by its own parser, which ends the test where it does not take them."""
    module, *flags = shlex.split(command)
    taken: dict[str, object] = vars(importlib.import_module(module).parser().parse_args(flags))
    return taken


def written(command: str, taken: dict[str, object]) -> set[Path]:
    folder = taken.get("output_folder")
    methods = taken.get("methods", [])
    if isinstance(folder, Path) and isinstance(methods, list):
        return {folder / f"{method.name}.json" for method in methods}
    return {Path(str(taken["output"]))} if "output" in taken else set()


def read(taken: dict[str, object]) -> set[Path]:
    values = [value for name, value in taken.items() if name not in MADE]
    flat = [one for value in values for one in (value if isinstance(value, list) else [value])]
    return {one for one in flat if isinstance(one, Path)}


@pytest.mark.parametrize("part", list(PARTS))
def test_each_step_takes_its_flags_and_finds_its_files(part: str) -> None:
    there: set[Path] = set()
    for command in PARTS[part]():
        if command.startswith("bench.pooled_evidence "):
            there.add(Path(shlex.split(command)[1]))
            continue
        taken = parsed(command)
        for path in read(taken) - there:
            assert path.is_relative_to(DATA) or path.exists(), f"{command}: nothing makes {path}"
        made = written(command, taken)
        assert not made & there
        there |= made


def test_each_part_has_a_result_of_its_own() -> None:
    named = [parsed(command)["json"] for part in PARTS.values() for command in part() if "evaluate_programs" in command]
    assert len(named) == len(set(named))
    assert all(str(one).startswith(f"{RESULTS}/programs_") for one in named)


def compared(part: str) -> list[list[str]]:
    """The names of the traces that each result of a part is over."""
    commands = [shlex.split(command) for command in PARTS[part]() if "evaluate_programs" in command]
    return [[Path(one).stem for one in words[words.index("-i") + 1 : words.index("--gold")]] for words in commands]


@pytest.mark.parametrize("part", list(PARTS))
def test_claims_as_wholes_stand_first_and_programs_last(part: str) -> None:
    for first, *_, last in compared(part):
        assert "_whole" in first or first == "verify"
        assert "_whole" not in last


def test_each_model_is_held_against_itself() -> None:
    assert [first.replace("_whole", "_1") for first, _ in compared("sizes")] == [last for _, last in compared("sizes")]


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
    there = measured()
    assert {"hover", "closed", "few_shot_minilm"} <= there.keys()
    assert all(table_of(path).count("\n") >= 2 for path in there.values())


def test_tables_of_what_was_not_measured_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["hover", "nonsense"]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    assert found.err.startswith("error: no scores are called nonsense; there are: cells_feverous_")


def test_scores_of_another_layout_are_refused(tmp_path: Path) -> None:
    (tmp_path / "programs_hover.json").write_text('{"traces": 1}', "utf-8")
    with pytest.raises(InputError, match=r"programs_hover\.json"):
        table_of(tmp_path / "programs_hover.json")


def test_committed_results_give_way_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RESULTS.mkdir(parents=True)
    committed, other = RESULTS / "programs_x.json", Path("programs_x.json")
    committed.write_text("{}")
    other.write_text("{}")
    give_way(f"src.programs.evaluate_programs -i {other} -o {committed} --gold {RESULTS / 'none.json'}")
    assert (committed.exists(), other.exists()) == (False, True)
