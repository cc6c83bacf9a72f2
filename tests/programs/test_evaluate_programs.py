"""The step from traces to tables and scores."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from src.programs import evaluate_programs
from src.programs.records import ClaimTrace
from src.programs.scoring import published
from src.records import Value
from src.store import encode_lines
from tests.programs.answers import C, F, T, U
from tests.programs.scoring.traces import traced, verified

LABELS = [T, T, F, F, T, F]
HOPS = [2, 2, 2, 3, 3, 3]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        {"uid": f"k{n}", "claim": f"Claim {n}.", "label": "SUPPORTED" if value is T else "NOT_SUPPORTED",
         "num_hops": hops, "supporting_facts": [[f"Page {n}", 0], ["Lund", 1]]}
        for n, (value, hops) in enumerate(zip(LABELS, HOPS, strict=True))
    ]  # fmt: skip
    Path("gold.json").write_text(json.dumps(lines))
    write("a.jsonl", [traced(n, value) for n, value in enumerate([T, U, F, C, T, F])])
    write("b.jsonl", [traced(n, value) for n, value in enumerate(LABELS)])
    return tmp_path


def write(name: str, traces: Sequence[ClaimTrace]) -> None:
    Path(name).write_bytes(encode_lines(traces))


def run(*flags: str, traces: Sequence[str] = ("a.jsonl",)) -> int:
    return evaluate_programs.main(["-i", *traces, "--gold", "gold.json", *flags])


def scores(*flags: str, traces: Sequence[str] = ("a.jsonl",)) -> dict[str, Any]:
    assert run("-o", "s.json", *flags, traces=traces) == 0
    result: dict[str, Any] = json.loads(Path("s.json").read_text())
    return result


def test_scores_by_hops(world: Path) -> None:
    groups = {one["group"]: one for one in scores()["scores"]}
    assert {name: (one["claims"], one["supports"]) for name, one in groups.items()} == {
        "2 hops": (3, 2), "3 hops": (3, 1), "all": (6, 3),
    }  # fmt: skip
    two, three = groups["2 hops"]["traces"][0], groups["3 hops"]["traces"][0]
    assert two["macro_f1"]["value"] == pytest.approx(2 / 3)
    assert (two["accuracy"]["value"], two["unknown"], two["conflicting"]) == (pytest.approx(2 / 3), 1 / 3, 0)
    assert (two["decided"], two["decided_macro_f1"]) == (2, 1.0)
    assert (three["macro_f1"]["value"], three["conflicting"]) == (1.0, 1 / 3)
    assert groups["all"]["floors"]["all_supports"] == pytest.approx(1 / 3)
    manifest = json.loads(Path("s.manifest.json").read_text())
    assert set(manifest["fingerprint"]["inputs"]) == {"gold", "traces 1"}


def test_several_traces_are_compared_with_the_first(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = scores(traces=["a.jsonl", "b.jsonl"])
    first, other = result["scores"][-1]["traces"]
    assert first["accuracy"]["to_first"] is None
    assert other["accuracy"]["to_first"]["value"] == pytest.approx(1 / 6)
    out = capsys.readouterr().out
    assert "1: a.jsonl\n2: b.jsonl\n" in out
    assert "+17.14 [0.00, " in out  # macro-F1 1 against (4/5 + 6/7) / 2
    assert run("-o", "t.json", traces=["a.jsonl", "b.jsonl"]) == 0
    assert Path("t.json").read_bytes() == Path("s.json").read_bytes()


def test_recall_is_of_the_traces_that_name_pages(world: Path) -> None:
    assert scores()["recall"] == []
    write("c.jsonl", [traced(n, T, verified("x", T, (f"page_{n}", 1.0), ("Ystad", 2.0))) for n in range(6)])
    result = scores(traces=["a.jsonl", "c.jsonl"])
    assert result["retrieving"] == [1]
    assert [(one["group"], one["k"], one["traces"][0]["value"]) for one in result["recall"][-3:]] == [
        ("all", 3, 0.5), ("all", 5, 0.5), ("all", 10, 0.5),
    ]  # fmt: skip


def test_the_papers_tables(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--paper") == 0
    out = capsys.readouterr().out
    assert "published columns are over all of dev" in out
    assert "open book: ProgramFC, 5 programs" in out
    assert "66.67 (n=3)  100.00 (n=3)  -" in out
    assert run() == 0
    assert "ProgramFC, 5 programs" not in capsys.readouterr().out


def test_published_figures_agree_with_the_papers_best_values() -> None:
    best = {name: [max(column) for column in zip(*(one.macro_f1 for one in rows), strict=True)]
            for name, rows in (("gold", published.GOLD[:9]), ("open", published.OPEN_BOOK[:9]))}  # fmt: skip
    assert best == {"gold": [77.22, 68.48, 66.75, 92.69], "open": [70.30, 63.43, 59.16, 68.06]}
    assert [sum(column) for column in zip(*published.ERRORS.values(), strict=True)] == [100, 100, 100]
    assert len(published.CLOSED_BOOK) == 8


def test_ids_choose_claims(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("ids.txt").write_text("k5\nk0\nelsewhere\n")
    assert scores("--ids", "ids.txt")["claims"] == 2
    assert capsys.readouterr().err == (
        "2 of 6 claims of gold.json\nids.txt: 1 of its ids are those of no claim here, such as elsewhere\n"
    )
    write("few.jsonl", [traced(0, T)])
    assert run("--ids", "ids.txt", traces=["few.jsonl"]) == 2
    assert capsys.readouterr().err == "error: few.jsonl: claims 5 have no trace here\n"


def test_feverous_has_groups_of_its_own(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [{"id": n, "claim": f"Claim {n}.", "label": "supports" if n % 2 else "refutes", "challenge": "Other",
              "evidence": "Lund\tA town." + "\nLund\tIt is old." * (n % 2)} for n in range(30)]  # fmt: skip
    Path("gold.json").write_text(json.dumps(lines))
    Path("tune.txt").write_text("".join(f"{n}\n" for n in range(6, 30)))
    groups = {one["group"]: one for one in scores("--tune_ids", "tune.txt")["scores"]}
    assert {name: one["claims"] for name, one in groups.items()} == {"all": 6, "one gold sentence": 3, "Other": 6}
    assert groups["all"]["floors"]["passages"] == 1.0
    assert groups["all"]["floors"]["novelty"] is not None
    Path("tune.txt").write_text("".join(f"{n}\n" for n in range(5, 30)))
    assert run("--tune_ids", "tune.txt") == 2
    assert "tune.txt: 1 of its claims are scored, too; name those to score with --ids" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("traces", "message"),
    [
        ([], "b.jsonl: contains no claims to score"),
        ([traced(0, T, claim="Another.")], "b.jsonl, line 1, field claim: claim 0 is not the one of gold.json"),
        ([traced(7, T)], "b.jsonl, line 1, field claim: claim 7 is not the one of gold.json"),
        ([traced(0, T), traced(0, T)], "b.jsonl, line 2, field claim_id: claim_id 0 is already on line 1"),
    ],
)
def test_other_claims_are_refused(
    world: Path, traces: list[ClaimTrace], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("b.jsonl", traces)
    assert run(traces=["b.jsonl"]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        (range(6), range(4), "b.jsonl: claims 4-5 have no trace here"),
        (range(4), range(6), "b.jsonl: claims 4-5 have no trace in a.jsonl; name the claims with --ids"),
        (range(6), range(0), "b.jsonl: claims 0-4 and 1 more have no trace here"),
    ],
)
def test_traces_are_of_the_same_claims(
    world: Path, first: range, second: range, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("a.jsonl", [traced(n, Value.TRUE) for n in first])
    write("b.jsonl", [traced(n, Value.TRUE) for n in second])
    assert run(traces=["a.jsonl", "b.jsonl"]) == 2
    assert capsys.readouterr().err == f"error: {message}\n"


def test_scores_replace_scores_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.json").write_text("mine")
    assert run("-o", "notes.json") == 2
    assert "notes.json: is no earlier file of scores; name another file, or remove it" in capsys.readouterr().err
    assert Path("notes.json").read_text() == "mine"
    for _ in range(2):
        assert run("-o", "scores.json") == 0


def test_scores_overwrite_no_input(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = Path("a.jsonl").read_bytes()
    assert run("-o", "a.jsonl") == 2
    assert "the file of scores would overwrite --traces 1" in capsys.readouterr().err
    assert Path("a.jsonl").read_bytes() == before
    assert run("-o", "a.jsonl.manifest.json") == 2
    assert "the file of scores would overwrite a file that belongs to --traces 1" in capsys.readouterr().err
    assert run("-o", ".") == 2
    assert capsys.readouterr().err == "error: .: the file of scores is a folder; name a file in it\n"
    assert run(traces=["none.jsonl"]) == 2
    assert "none.jsonl: not found; it is written by: src.programs.execute_programs" in capsys.readouterr().err


def test_a_table_replaces_an_earlier_table_alone(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("notes.md").write_text("mine\n")
    assert run("--markdown", "notes.md", "-o", "s.json") == 2
    message = "error: notes.md: is no earlier table of this step; name another file, or remove it\n"
    assert capsys.readouterr() == ("", message)
    assert Path("notes.md").read_text() == "mine\n"
    assert not Path("s.json").exists()
    assert run("--markdown", "t.md", "-o", "s.json") == 0
    before = Path("t.md").read_bytes()
    Path("t.md").write_bytes(before + b"an older one had more lines\n")
    assert run("--markdown", "t.md", "-o", "s.json") == 0
    assert Path("t.md").read_bytes() == before


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--markdown", "x.md", "-o", "x.md"], "x.md: the table would overwrite --json"),
        (["--markdown", "x.md", "-o", "./x.md"], "x.md: the table would overwrite --json"),
        (["--markdown", "x.txt"], "x.txt: --markdown takes a name that ends in .md"),
        (["--markdown", "claims.md", "--gold", "claims.md"], "claims.md: the table would overwrite --gold"),
    ],
)
def test_a_table_overwrites_neither_scores_nor_inputs(
    world: Path, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Path("gold.json").read_bytes()
    Path("claims.md").write_bytes(before)
    assert run(*flags) == 2
    assert capsys.readouterr().err == f"error: {message}\n"
    assert Path("claims.md").read_bytes() == before
    assert not Path("x.md").exists()
