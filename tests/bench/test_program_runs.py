"""What the manifests say of how figures were made stands in one file, part by part."""

from pathlib import Path
from typing import Annotated

import msgspec
import pytest

from bench.program_runs import add_runs, outputs, read_runs
from src.errors import InputError
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import write_output
from src.settings import Flag

STEP = "src.programs.generate_programs"


class Settings(msgspec.Struct, frozen=True):
    output: Annotated[str, Flag("")]
    seed: Annotated[int, Flag("")] = 3
    llm: Annotated[str, Flag("")] = "x"
    chat: Annotated[bool, Flag("")] = False


def made(path: Path, seconds: dict[str, float], counts: dict[str, int]) -> None:
    """An output with its manifest, of a step that read one file."""
    source = path.parent / "claims.json"
    source.write_text("[]")
    args = Settings(str(path))
    fingerprinted = fingerprint(STEP, args, {"claim_file": source}, [4, 5])
    model = {"name": "m.gguf", "engine": "llama.cpp", "sha256": "ab" * 32}
    write_output(path, [b"{}\n"], [], new_manifest(fingerprinted, args, seconds=seconds, counts=counts, model=model))


def test_the_runs_of_a_part_are_added_and_replaced(tmp_path: Path) -> None:
    runs = tmp_path / "runs.json"
    made(tmp_path / "p.json", {"work": 9.126, "wall": 20.0}, {"programs": 2, "fallback_programs": 1})
    made(tmp_path / "scores.json", {"wall": 3.0}, {})
    commands = [f"{STEP} -o {tmp_path}/p.json", "bench.pooled_evidence x", f"other -i x -o {tmp_path}/scores.json"]
    add_runs(runs, "kept", commands[1:])
    add_runs(runs, "part", commands[:1])
    add_runs(runs, "part", commands)
    collected = read_runs(runs)
    assert {part: list(rows) for part, rows in collected.items()} == {"kept": ["scores"], "part": ["p", "scores"]}
    one = collected["part"]["p"]
    assert (one.step, one.claims, one.seconds, one.failures) == (STEP, 2, 9.13, 0)
    assert (one.counts, one.settings) == ({"programs": 2, "fallback_programs": 1}, {"seed": "3", "llm": "x"})
    assert one.model == "m.gguf llama.cpp sha256 abababababab"
    assert one.inputs == {"claim_file": "claims.json sha256 4f53cda18c2b"}
    assert collected["part"]["scores"].seconds == 3.0


def test_an_output_without_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "p.json").write_text("{}")
    with pytest.raises(InputError, match="no manifest says how it was made"):
        add_runs(tmp_path / "runs.json", "part", [f"step -o {tmp_path}/p.json"])
    assert not (tmp_path / "runs.json").exists()


def test_of_a_folder_every_file_that_a_step_made(tmp_path: Path) -> None:
    made(tmp_path / "cot.json", {"work": 1.0, "wall": 1.0}, {})
    assert [one.name for one in outputs(f"src.programs.closed_book -o {tmp_path}")] == ["cot.json"]
    assert [one.name for one in outputs(f"few_shot -o {tmp_path} --json {tmp_path}/all.json")] == ["all.json"]
