"""The step: one file a method from one command, that evaluate_programs scores."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from src.programs import closed_book, evaluate_programs
from src.programs.baselines.closed_book import METHODS
from src.programs.program_files import read_traces
from src.runner import merge
from src.runner.shards import find_shards
from tests.programs.answers import F, T, U

ANSWERS = {"direct": ["True", "False"], "verify": ["False", "False"], "zs_cot": ["Hm.", "The answer is: False."],
           "cot": ["The answer is: True."] * 2, "self_ask": ["So the final answer is: True.", "False"],
           "zs_cot_answer": ["True"]}  # fmt: skip


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    claims = [{"uid": f"k{n}", "claim": f"Claim {n}.", "label": label, "num_hops": 2}
              for n, label in enumerate(["SUPPORTED", "NOT_SUPPORTED", "SUPPORTED"])]  # fmt: skip
    Path("c.json").write_text(json.dumps(claims))
    Path("ids.txt").write_text("k0\nk1\n")
    script(ANSWERS)
    return tmp_path


def script(answers: dict[str, list[str]]) -> None:
    lines = [json.dumps({"role": role, "output": one}) + "\n" for role, outputs in answers.items() for one in outputs]
    Path("s.jsonl").write_text("".join(lines))


def run(*flags: str) -> int:
    return closed_book.main(["-c", "c.json", "--ids", "ids.txt", "-l", "scripted:s.jsonl", "-o", "out", *flags])


def values(method: str) -> Sequence[str]:
    return [trace.value for trace in read_traces(Path("out") / f"{method}.json")]


def test_all_methods_in_one_command(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert {method: values(method) for method in METHODS} == {
        "direct": [T, F], "verify": [F, F], "zs_cot": [T, F], "cot": [T, T], "self_ask": [T, F],
    }  # fmt: skip
    counts = json.loads(Path("out/zs_cot.manifest.json").read_text())["counts"]
    assert (counts["model_calls"], counts["asked_again"]) == (3, 1)
    traces = [f"out/{method}.json" for method in METHODS]
    assert evaluate_programs.main(["-i", *traces, "--gold", "c.json", "--paper"]) == 0
    out = capsys.readouterr().out
    assert "every program verifies the claim as a whole: no classes of errors" in out
    assert "trace 5 " in out
    assert "Recall" not in out


def test_no_method_begins_where_one_cannot_be_written(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("out/self_ask.json").mkdir(parents=True)
    assert run() == 2
    assert "out/self_ask.json: the output is a folder" in capsys.readouterr().err
    assert [path.name for path in Path("out").iterdir()] == ["self_ask.json"]


def test_finished_methods_are_not_run_again(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--methods", "verify") == 0
    before = Path("out/verify.json").read_bytes()
    assert run("--methods", "cot, verify") == 0
    assert Path("out/verify.json").read_bytes() == before
    assert "out/verify.json is already there, made by the same run" in capsys.readouterr().out
    assert values("cot") == [T, T]
    assert not Path("out/direct.json").exists()


def test_a_dry_run_estimates_the_time_of_all_methods(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("--dry_run", "--methods", "direct,verify") == 0
    output = capsys.readouterr().out
    assert "output   out/direct.json" in output
    assert "output   out/verify.json" in output
    assert "in all   about 0.0 s for 2 such runs" in output
    assert not Path("out").exists()


def test_ranges_of_claims_can_be_merged(world: Path) -> None:
    assert run("--methods", "verify,cot", "-e", "1") == 0
    assert run("--methods", "verify,cot", "-s", "1") == 0
    assert {path.name for path in find_shards(Path("out/verify.json"))} == {"verify.0-1.json", "verify.1-2.json"}
    assert [merge.main([f"out/{method}.json"]) for method in ("verify", "cot")] == [0, 0]
    assert (values("verify"), values("cot")) == ([F, F], [T, T])


def test_a_shard_is_a_file_of_each_method(world: Path) -> None:
    assert run("--methods", "verify,cot", "--shard", "1/2") == 0
    assert sorted(path.name for path in Path("out").iterdir()) == [
        f"{method}.{name}" for method in ("cot", "verify") for name in ("1-2.json", "1-2.manifest.json", "shards.json")
    ]
    assert run("--methods", "verify,cot", "--shard", "0/2") == 0
    assert merge.main(["out/verify.json", "out/cot.json"]) == 0
    assert (values("verify"), values("cot")) == ([F, F], [T, T])


def test_a_claim_that_fails_is_unknown_and_the_others_go_on(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script(ANSWERS | {"direct": ["True", "maybe", "True", "maybe"]})
    assert run("--methods", "direct,cot") == 1
    assert values("direct") == [T, U]
    assert values("cot") == [T, T]


def test_an_example_is_no_claim_to_check(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = "The Metal that is liquid at room temperature has the chemical symbol Ag!"
    Path("c.json").write_text(json.dumps([{"uid": "k0", "claim": shown}]))
    assert run() == 2
    assert "error: direct: demonstration 3 is claim 0, which is to be checked" in capsys.readouterr().err
    assert not Path("out").exists()


def test_an_unknown_method_is_refused(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        run("--methods", "direct,guess")
    assert stopped.value.code == 2
    assert "--methods: 'guess' is none of direct, zs_cot, cot, self_ask, verify" in capsys.readouterr().err


def test_what_cannot_start_leaves_nothing(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = sorted(world.iterdir())
    assert run("--llm", "nonsense") == 2
    assert "unknown model 'nonsense'" in capsys.readouterr().err
    assert run("-o", "c.json") == 2
    assert capsys.readouterr().err == "error: c.json: is a file; name a folder\n"
    assert sorted(world.iterdir()) == before
