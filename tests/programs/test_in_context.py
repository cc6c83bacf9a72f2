"""The step: examples drawn by seed or from a file, verdicts that evaluate_programs scores, what is refused."""

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from src.programs import evaluate_programs, in_context
from src.programs.baselines.in_context import InContext
from src.programs.program_files import read_traces
from src.runner import merge
from tests.programs.answers import F, T, U
from tests.tiny_models import make_causal, make_t5
from tests.word_encoder import WordEncoder

CLAIMS = 24


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [
        {"uid": f"k{n}", "claim": f"The council closed {n} schools.", "num_hops": 2,
         "label": ("SUPPORTED", "NOT_SUPPORTED")[n % 2], "evidence": f"Town {n}\tSchool {n} closed."}
        for n in range(CLAIMS)
    ]  # fmt: skip
    Path("c.json").write_text(json.dumps(lines))
    Path("ids.txt").write_text("k0\nk1\n")
    Path("tune.txt").write_text("".join(f"k{n}\n" for n in range(2, CLAIMS)))
    script("True", "True")
    return tmp_path


def script(*outputs: str) -> None:
    lines = [json.dumps({"role": "in_context", "output": one}) + "\n" for one in outputs]
    Path("s.jsonl").write_text("".join(lines))


def run(*flags: str, draw: Sequence[str] = ("--tune_ids", "tune.txt")) -> int:
    return in_context.main(["-c", "c.json", "--ids", "ids.txt", *draw, "-l", "scripted:s.jsonl", "-o", "out.json",
                            *flags])  # fmt: skip


def values() -> list[str]:
    return [trace.value for trace in read_traces(Path("out.json"))]


def shown(monkeypatch: pytest.MonkeyPatch) -> list[list[Any]]:
    """The examples of each run from here on."""
    example_lists: list[list[Any]] = []

    class Noted(InContext):
        def __init__(self, model: Any, examples: Any, *args: Any, **more: Any) -> None:
            example_lists.append(list(examples))
            super().__init__(model, examples, *args, **more)

    monkeypatch.setattr(in_context, "InContext", Noted)
    return example_lists


def test_what_it_leaves_is_scored(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run() == 0
    assert values() == [T, T]
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert (manifest["counts"]["model_calls"], manifest["notes"]) == (2, [])
    assert evaluate_programs.main(["-i", "out.json", "--gold", "c.json", "--ids", "ids.txt", "-o", "scores.json"]) == 0
    (everyone,) = [one for one in json.loads(Path("scores.json").read_text())["scores"] if one["group"] == "all"]
    assert everyone["traces"][0]["macro_f1"]["value"] == pytest.approx(1 / 3)
    assert everyone["floors"]


def test_examples_are_drawn_by_the_seed_half_of_them_true_and_mixed(
    world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    example_lists = shown(monkeypatch)
    for seed in ("0", "0", "1"):
        assert run("--seed", seed, "--overwrite") == 0
    assert example_lists[0] == example_lists[1] != example_lists[2]
    assert Counter(one.value for one in example_lists[0]) == {T: 10, F: 10}
    assert len({one.key for one in example_lists[0]}) == 20
    assert [one.value for one in example_lists[0]] != [T] * 10 + [F] * 10


def test_merged_shards_are_the_undivided_run(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run() == 0
    whole = Path("out.json").read_bytes()
    example_lists = shown(monkeypatch)
    Path("out.json").unlink()
    assert [run("--shard", part) for part in ("0/2", "1/2")] == [0, 0]
    assert merge.main(["out.json"]) == 0
    assert Path("out.json").read_bytes() == whole
    assert example_lists[0] == example_lists[1]


def test_examples_may_stand_in_a_file_and_keep_its_order(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [{"id": "a", "claim": "Ann sang.", "label": "refutes", "evidence": "Ann\tAnn danced."},
             {"id": "b", "claim": "Bob ran.", "label": "supports", "evidence": "Bob\tBob ran home."}]  # fmt: skip
    Path("d.json").write_text(json.dumps(lines))
    example_lists = shown(monkeypatch)
    assert run(draw=("--demonstrations", "d.json")) == 0
    assert [(one.key, one.value) for one in example_lists[0]] == [("a", F), ("b", T)]
    assert values() == [T, T]


def test_evidence_that_was_cut_is_noted(world: Path) -> None:
    assert run("--max_evidence_length", "3") == 0
    manifest = json.loads(Path("out.manifest.json").read_text())
    assert manifest["notes"] == ["2 claims have more than 3 words of evidence, and these were read"]


def test_open_evidence_is_what_the_claim_finds(world: Path) -> None:
    pages = [{"title": f"Page {n}", "text": f"The council has {n} schools."} for n in range(CLAIMS)]
    Path("pages.jsonl").write_text("".join(json.dumps(page) + "\n" for page in pages))
    assert run("--setting", "open", "--corpus", "pages.jsonl") == 0
    (step,) = read_traces(Path("out.json"))[1].programs[0].steps
    assert step.evidence[0].url == "Page 1"
    assert len(step.evidence) == 10


@pytest.mark.parametrize(
    ("retriever", "titles"),
    [
        ("bm25", ["Short", "Long"]),
        ("lucene", ["Long", "Short"]),  # length weighs less
        ("hybrid", ["Short", "Long", "Ystad"]),
        ("linked", ["Short", "Long", "Ystad"]),
    ],
)
def test_open_evidence_is_searched_for_as_execute_programs_does(
    world: Path, monkeypatch: pytest.MonkeyPatch, retriever: str, titles: list[str]
) -> None:
    monkeypatch.setattr("src.models.encoder.load_encoder", WordEncoder)
    long = f"The council of Ystad met a council{', with nobody there' * 6}."
    pages = {"Long": long, "Short": "A council met.", "Ystad": "Rain fell."}
    Path("pages.jsonl").write_text(
        "".join(json.dumps({"title": one, "text": text}) + "\n" for one, text in pages.items())
    )
    assert run("--setting", "open", "--corpus", "pages.jsonl", "--retriever", retriever) == 0
    (step,) = read_traces(Path("out.json"))[0].programs[0].steps
    assert [one.url for one in step.evidence] == titles
    settings = json.loads(Path("out.manifest.json").read_text())["fingerprint"]["settings"]
    assert settings["retriever"] == retriever


def test_a_claim_that_fails_is_unknown_and_the_others_go_on(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script("True")
    assert run() == 1
    assert values() == [T, U]
    assert "1 of 2 claims failed" in capsys.readouterr().err


def test_causal_and_encoder_decoder_models_run(world: Path) -> None:
    folder = make_causal(Path("causal"), context=4096, words=["True", "False"])
    assert run("-l", f"hf:{folder}", "--examples", "2") == 0
    assert set(values()) <= {T, F}
    assert run("-l", f"hf:{make_t5(Path('t5'))}", "--overwrite") == 0
    assert set(values()) <= {T, F}


def test_examples_that_do_not_fit_are_an_error_and_nothing_is_written(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = make_causal(Path("causal"), context=512)
    assert run("-l", f"hf:{folder}") == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: the 20 examples take ")
    assert "reads 512: " in line
    fit = line.partition("--examples ")[2].split(";")[0]
    assert not Path("out.json").exists()
    assert run("-l", f"hf:{folder}", "--examples", fit) == 0


@pytest.mark.parametrize(
    ("flags", "draw", "message"),
    [
        (["--examples", "5"], ["--tune_ids", "tune.txt"], "--examples 5: half of them are to be true"),
        (["--examples", "40"], ["--tune_ids", "tune.txt"], "11 claims with evidence are true, but --examples 40"),
        ([], ["--tune_ids", "ids.txt"], "ids.txt: 2 of its claims are scored, too"),
        ([], [], "either from --tune_ids or from --demonstrations"),
        ([], ["--tune_ids", "tune.txt", "--demonstrations", "c.json"], "either from --tune_ids or"),
        (["--seed", "3"], ["--demonstrations", "c.json"], "--seed goes with --tune_ids"),
        ([], ["--demonstrations", "c.json"], "c.json: demonstration 1 is claim 0, which is to be checked"),
        ([], ["--demonstrations", "bare.json"], "bare.json: claim b has no evidence"),
        (["--corpus", "c.json"], ["--tune_ids", "tune.txt"], "--corpus goes with --setting open"),
        (["--retriever", "lucene"], ["--tune_ids", "tune.txt"], "--retriever goes with --setting open"),
        (["-l", "nonsense"], ["--tune_ids", "tune.txt"], "unknown model 'nonsense'"),
    ],
)
def test_what_is_refused(
    world: Path, flags: list[str], draw: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bare.json").write_text(json.dumps([{"id": "b", "claim": "Bob ran.", "label": "supports"}]))
    assert run(*flags, draw=draw) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert not Path("out.json").exists()
