"""The step: an address and classes, their agreement, their use by evaluate_programs, and what is refused."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest
import requests

from src.programs import annotate, evaluate_programs
from src.store import encode_lines
from tests.programs.annotation.wrong import trace, written
from tests.serving.served import served

LINE = {"annotator": "ann", "claim_id": 0, "program": 0, "shown": "0" * 16, "class": "token"}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    written(tmp_path, 12)
    Path("c.jsonl").write_text(json.dumps(LINE) + "\n")
    return tmp_path


def laid(address: str, name: str, place: int) -> Any:
    return requests.get(f"{address}task", params={"annotator": name, "place": str(place)}, timeout=60).json()


def test_two_people_class_the_same_programs_and_the_table_has_them(
    world: Path, project_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = world / "out" / "c.jsonl"
    claims, traces = str(world / "gold.json"), str(world / "trace.jsonl")
    flags = ("--port", "0", "-i", traces, "--gold", claims, "--per_hop", "2", "-o", str(output))
    met = {}
    with served(project_root, annotate.__name__, *flags) as (address, process):
        for name, other_label in (("ann", "token"), ("bob", "execution")):
            programs = [laid(address, name, place) for place in range(4)]
            met[name] = [one["shown"]["claim_id"] for one in programs]
            for place, one in enumerate(programs):
                label = "structure" if one["shown"]["claim_id"] == min(met[name]) else other_label
                sent = {"annotator": name, "place": place, "hash": one["hash"], "class": label, "note": " why "}
                assert requests.post(f"{address}rating", json=sent, timeout=60).status_code == 204
        assert process.stdout is not None
        assert process.stdout.readline() == f"annotate: 4 wrong predictions of {traces} -> {output}\n"
        process.send_signal(signal.SIGINT)
        at_the_end, _ = process.communicate(timeout=60)
    assert sorted(met["ann"]) == sorted(met["bob"])
    assert met["ann"] != met["bob"]
    assert annotate.main(["--agreement", str(output)]) == 0
    assert capsys.readouterr().out == at_the_end
    rows = [line.split() for line in at_the_end.splitlines()]
    assert rows[2:4] == [["ann", "4", "0", "3", "1", "0", "0"], ["bob", "4", "0", "0", "1", "0", "3"]]
    assert rows[-1] == ["ann,", "bob", "4", "25.0", "0.200"]  # chance: both say structure 1/16 of the time
    assert {one["note"] for one in map(json.loads, output.read_text().splitlines())} == {"why"}
    table = ["-i", traces, "--gold", claims, "--classes", str(output), "--markdown", "t.md", "-o", "s.json"]
    assert evaluate_programs.main(table) == 0
    assert json.loads(Path("s.json").read_text())["people"]["groups"]["all"]["shares"] == {
        "syntax": 0.0, "token": 0.375, "structure": 0.25, "subtask": 0.0, "execution": 0.375,
    }  # fmt: skip
    document = Path("t.md").read_text()
    assert "| claims | 100 | 2 | 3 | 100 | 2 | 3 | 4 | 6 |" in document
    assert "people: ann, bob; 4 of 4 programs by two or more" in document


def test_the_table_without_annotators_has_a_note(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate_programs.main(["-i", "trace.jsonl", "--gold", "gold.json", "--markdown", "t.md"]) == 0
    assert "annotated by nobody yet" in capsys.readouterr().out
    assert "annotated by nobody yet" in Path("t.md").read_text()


def test_programs_are_shown_as_they_were_written(world: Path, project_root: Path) -> None:
    lines = [{"claim_id": n, "claim": f"Claim {n}.", "programs": [f"written {n}"]} for n in range(12)]
    Path("programs.json").write_text(json.dumps(lines))
    flags = ("--port", "0", "-i", str(world / "trace.jsonl"), "--gold", str(world / "gold.json"))
    more = ("--programs", str(world / "programs.json"), "-o", str(world / "new.jsonl"))
    with served(project_root, annotate.__name__, *flags, *more) as (address, _):
        shown = laid(address, "ann", 0)["shown"]
    assert shown["written"] == f"written {shown['claim_id']}"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-i", "trace.jsonl"], "--gold is needed"),
        (["-i", "none.jsonl", "--gold", "gold.json"], "none.jsonl: not found; it is written by: src.programs.execute"),
        (["-i", "right.jsonl", "--gold", "gold.json"], "right.jsonl: has no wrong prediction with a program"),
        (["-i", "trace.jsonl", "--gold", "gold.json", "-o", "gold.json"], "gold.json: the output would overwrite"),
        (["-i", "trace.jsonl", "--gold", "gold.json", "-o", "c.jsonl"], "c.jsonl, line 1, field shown: program 0 of"),
        (["--agreement", "none.jsonl"], "none.jsonl: not found"),
        (["--agreement", "empty.jsonl"], "empty.jsonl: contains no classes"),
        (["--agreement", "c.jsonl", "--per_hop", "3"], "--per_hop changes nothing with --agreement"),
    ],
)
def test_bad_input_is_one_line(world: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("right.jsonl").write_bytes(encode_lines([trace(1)]))
    Path("empty.jsonl").write_text("")
    output = [] if "-o" in argv or "--agreement" in argv else ["-o", "new.jsonl"]
    assert annotate.main([*argv, *output]) == 2
    stderr = capsys.readouterr().err
    assert stderr.startswith(f"error: {message}")
    assert stderr.count("\n") == 1
    assert not Path("new.jsonl").exists()


def test_classes_are_of_one_trace(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    both = ["-i", "trace.jsonl", "trace.jsonl", "--gold", "gold.json", "--classes", "c.jsonl"]
    assert evaluate_programs.main(both) == 2
    assert "--classes takes one trace; name only that one" in capsys.readouterr().err
    assert evaluate_programs.main(["-i", "trace.jsonl", "--gold", "gold.json", "--classes", "c.jsonl"]) == 2
    assert "c.jsonl, line 1, field shown: program 0 of claim 0 has changed since" in capsys.readouterr().err
