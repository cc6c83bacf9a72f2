"""The commands of the benchmark of programs are ones that the steps take, and its scores can be read."""

import importlib
import shlex
from pathlib import Path

import pytest

from bench.programs import DATA, PARTS, RESULTS, give_way
from src.programs.baselines.few_shot import Summary
from src.programs.scoring.report import Report
from src.settings import values_of
from src.store import read_json

MADE = {"output", "output_folder", "json", "index_dir", "cache_dir"}  # what steps write; the last two only for speed


def parsed(command: str) -> dict[str, object]:
    """A step's arguments, by its own parser, which ends the test where it does not take them."""
    module, *flags = shlex.split(command)
    return values_of(importlib.import_module(module).main.parse(flags))


def written(command: str, taken: dict[str, object]) -> set[Path]:
    folder = taken.get("output_folder")
    methods = taken.get("methods", "")
    if isinstance(folder, Path) and isinstance(methods, str):
        return {folder / f"{method}.json" for method in methods.split(",") if method}
    return {Path(str(taken["output"]))} if "output" in taken else set()


def read(taken: dict[str, object]) -> set[Path]:
    values = [value for name, value in taken.items() if name not in MADE]
    flat = [one for value in values for one in (value if isinstance(value, tuple) else [value])]
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


def test_committed_scores_can_be_read() -> None:
    files = [one for one in RESULTS.glob("programs_*.json") if ".manifest" not in one.suffixes]
    assert {"programs_hover", "programs_closed", "programs_few_shot_minilm"} <= {one.stem for one in files}
    for path in files:
        record: type[Summary | Report] = Summary if "few_shot" in path.stem else Report
        assert read_json(path, record).scores


def test_committed_results_give_way_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RESULTS.mkdir(parents=True)
    committed, other = RESULTS / "programs_x.json", Path("programs_x.json")
    committed.write_text("{}")
    other.write_text("{}")
    give_way(f"src.programs.evaluate_programs -i {other} -o {committed} --gold {RESULTS / 'none.json'}")
    assert (committed.exists(), other.exists()) == (False, True)
