"""The step from file to file: predictions, own lines and PolitiHop, by template and by a scripted model."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from src.explanation import generate_explanations
from src.explanation.records import ExplainedClaim, Explanation
from src.explanation.text import explained
from src.explanation.writer import Writer
from src.llm.scripted_backend import ScriptedModel, ScriptLine
from src.stance.reader import READER
from src.store import read_by_claim
from tests.stance.scripted import reader

PREDICTIONS = [
    {"claim_id": 3, "claim": "Eels fly.", "pred_label": "Refuted",
     "evidence": [{"question": "Do eels fly?", "answer": "Eels swim in rivers and never fly.",
                   "url": "https://a.example"}]},
    {"claim_id": 5, "claim": "Frogs sing.", "pred_label": "Not Enough Evidence", "evidence": []},
]  # fmt: skip


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_text(json.dumps(PREDICTIONS))
    return tmp_path


def run(*flags: str) -> int:
    return generate_explanations.main(["-o", "e.json", *flags])


def output() -> list[ExplainedClaim]:
    return read_by_claim(Path("e.json"), ExplainedClaim)


def script(*lines: tuple[str, str]) -> str:
    Path("s.jsonl").write_text("".join(json.dumps({"role": role, "output": output}) + "\n" for role, output in lines))
    return "scripted:s.jsonl"


def table(name: str, rows: int, **other: str) -> None:
    columns = ["article_id", "statement", "ruling", "annotated_label"]
    with Path(name).open("w", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t")
        writer.writeheader()
        for n in range(rows):
            row = {
                "article_id": str(n),
                "statement": f"Eels fly {n}.",
                "ruling": json.dumps(["Eels swim.", "So it is."]),
            }
            writer.writerow(row | {"annotated_label": "half-true"} | other)


def test_predictions_are_explained_and_keep_their_evidence(world: Path) -> None:
    assert run("-i", "p.json", "--predictions", "j.json") == 0
    first, second = output()
    assert (first.claim_id, first.label, first.cites) == (3, "Refuted", [[1]])
    assert first.explanation == "Eels swim in rivers and never fly; so the claim is refuted."
    assert first.evidence[0].url == "https://a.example"
    assert second.cites == [[]]
    justified: list[dict[str, Any]] = json.loads(Path("j.json").read_text())
    assert [one["justification"] for one in justified] == [first.explanation, second.explanation]
    assert [{**one, "justification": None} for one in justified] == [
        {**one, "justification": None} for one in PREDICTIONS
    ]


def test_one_missing_reply_takes_no_other_down(world: Path) -> None:
    Path("p.json").write_text(json.dumps([PREDICTIONS[0] | {"claim_id": n} for n in range(3)]))
    llm = script(("explanation_zero_shot", "Eels swim."), ("explanation_zero_shot", "Eels eat."))
    assert run("-i", "p.json", "--method", "zero_shot", "--llm", llm) == 1
    assert [one.explanation for one in output()] == ["Eels swim.", "Eels eat.", None]
    assert "no more output for role" in Path("e.failures.jsonl").read_text()


def test_a_draft_that_cannot_be_stored_counts_as_empty() -> None:
    claim = ExplainedClaim(0, "Eels fly.", "Refuted", source="Eels swim.")
    model = ScriptedModel([ScriptLine("explanation_zero_shot", "Eels \ud800 swim.")])
    (one,) = Writer(model, "zero_shot", 400, 80).write([claim])
    assert (one.record.explanation, one.failure) == ("", "the model wrote no explanation")


def test_a_ruling_may_be_long(world: Path) -> None:
    table("long.tsv", 1)
    with Path("long.tsv").open("a") as file:
        file.write(f"1\tEels fly.\t{json.dumps(['Eels swim. ' * 20_000])}\tfalse\n")
    assert run("--politihop", "long.tsv") == 0
    assert [one.explanation for one in output()][1] == "Eels swim; so the claim is false."


def test_each_sentence_has_the_evidence_of_all_its_parts() -> None:
    claim = ExplainedClaim(0, "Ann won.", "true", source="x")
    one = Explanation(("Eels swim in rivers.", "They eat snails."), ((1,), (2,)))
    assert explained(claim, one).cites == [[1], [2]]
    joined = Explanation(("Ann won in St", "Louis in 1990."), ((1,), (2,)))
    assert explained(claim, joined).cites == [[1, 2]]


def test_a_model_writes_with_and_without_reasoning(world: Path) -> None:
    llm = script(
        ("explanation_zero_shot", "Eels swim. [1] So the claim is refuted. [1]"), ("explanation_zero_shot", " ")
    )
    assert run("-i", "p.json", "--method", "zero_shot", "--llm", llm) == 1
    first, second = output()
    assert (first.explanation, first.cites) == ("Eels swim. So the claim is refuted.", [[1], [1]])
    assert second.explanation == ""
    assert "the model wrote no explanation" in Path("e.failures.jsonl").read_text()


@pytest.mark.parametrize(
    ("again", "code", "text"), [("So.\nExplanation: They swim.", 0, "They swim."), ("Who knows?", 1, "")]
)
def test_reasoning_without_an_explanation_is_requested_again_once(
    world: Path, again: str, code: int, text: str
) -> None:
    replies = ["[1] says so.\nExplanation: Eels swim.", "Nobody knows.", again]
    llm = script(*[("explanation_cot", one) for one in replies])
    assert run("-i", "p.json", "--method", "cot", "--llm", llm, "--overwrite") == code
    assert [one.explanation for one in output()] == ["Eels swim.", text]
    counts = json.loads(Path("e.manifest.json").read_text())["counts"]
    assert (counts["model_calls"], counts["asked_again"], counts["reasoning_without_end"]) == (3, 1, code)
    failed = Path("e.failures.jsonl")
    assert (failed.is_file() and "nothing after" in failed.read_text()) is bool(code)


def test_a_detailed_explanation_is_kept_whole(world: Path) -> None:
    long = " ".join(["Eels swim in rivers and lakes."] * 40)
    llm = script(*[("explanation_zero_shot", long)] * 2)
    assert run("-i", "p.json", "--method", "zero_shot", "--llm", llm, "--detailed") == 0
    assert {one.explanation for one in output()} == {long}
    assert run("-i", "p.json", "--method", "zero_shot", "--llm", llm, "--overwrite") == 0
    assert {len((one.explanation or "").split()) for one in output()} == {78}
    flags = ["--detailed", "--max_words", "9", "--overwrite"]
    assert run("-i", "p.json", "--method", "zero_shot", "--llm", llm, *flags) == 2


def test_an_earlier_explanation_does_not_replace_a_failure(world: Path) -> None:
    old = {"explanation": "An old text.", "cites": [[1]], "justification": "An old reason."}
    Path("p.json").write_text(json.dumps([{**one, **old} for one in PREDICTIONS]))
    llm = script(("explanation_cot", "no reply for this method"))
    assert run("-i", "p.json", "--method", "zero_shot", "--llm", llm, "--predictions", "j.json") == 1
    assert [(one.explanation, one.cites) for one in output()] == [(None, []), (None, [])]
    justified: list[dict[str, Any]] = json.loads(Path("j.json").read_text())
    assert [one.get("justification") for one in justified] == [None, None]


def test_the_reasons_of_a_verdict_model_are_kept(
    world: Path, project_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("src.pipeline.explain.load_stance_reader", lambda *_: reader()[0])
    reasons = {"justification": "[1] says that eels never fly. So it is refuted."}
    Path("p.json").write_text(json.dumps([PREDICTIONS[0] | reasons, PREDICTIONS[1]]))
    assert run("-i", "p.json", "--method", "reasoning", "--entailment", str(project_root / READER)) == 0
    first, second = output()
    assert (first.explanation, first.cites) == ("Evidence 1 says that eels never fly. So it is refuted.", [[1], []])
    assert second.explanation


def test_justified_predictions_are_made_of_merged_shards(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("-i", "p.json", "--predictions", "j.json", "--shard", "0/2") == 2
    assert "--predictions goes without --shard: merge the shards" in capsys.readouterr().err


def test_parts_of_the_claims_are_justified_alone(world: Path) -> None:
    Path("p.json").write_text(json.dumps(PREDICTIONS[1:]))
    assert run("-i", "p.json", "--predictions", "j.json", "-s", "4", "-e", "6") == 0
    assert [one.claim_id for one in output()] == [5]
    justified: list[dict[str, Any]] = json.loads(Path("j.json").read_text())
    assert [one["justification"] for one in justified] == [output()[0].explanation]


def test_politihop_and_its_published_sample(world: Path) -> None:
    for name, rows in (("test", 200), ("valid", 141), ("train", 592)):
        table(f"politihop_{name}.tsv", rows)
    assert run("--politihop", "politihop_test.tsv") == 0
    assert (len(output()), output()[0].label, output()[0].source) == (200, "half-true", "Eels swim.\nSo it is.")
    assert run("--politihop", "politihop_test.tsv", "--politihop_sample", "445", "--overwrite") == 0
    assert [one.claim_id for one in output()] == list(range(445))
    assert [output()[at].claim for at in (200, 201, 247, 248)] == [f"Eels fly {n}." for n in (0, 3, 0, 3)]


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["-i", "none.json"], "none.json: not found; it is written by: src.prediction.veracity_prediction"),
        (["-i", "p.json", "--method", "cot"], "--method cot needs --llm"),
        (["-i", "p.json", "--max_words", "9"], "--max_words changes nothing with --method template"),
        (["-i", "p.json", "--politihop", "p.json"], "--politihop goes without --claims_file"),
        (["-i", "p.json", "--politihop_sample", "445"], "--politihop_sample goes with --politihop FILE"),
        (["--politihop", "p.json", "--predictions", "j.json"], "--predictions goes with --claims_file"),
        (["--politihop", "p.json"], "p.json, line 1, field statement: missing"),
        (
            ["--politihop", "bad.tsv"],
            "bad.tsv, line 2, field annotated_label: 'maybe' is none of false, half-true, true",
        ),
        (["--politihop", "blank.tsv"], "blank.tsv, line 2, field statement: is empty"),
        (["--politihop", "short.tsv"], "short.tsv, line 2, field statement: is empty"),
        (["-i", "p.json", "--predictions", "p.json"], "the file of predictions would overwrite --claims_file"),
    ],
)
def test_bad_input(world: Path, flags: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    table("bad.tsv", 1, annotated_label="maybe")
    table("blank.tsv", 1, statement=" ")
    Path("short.tsv").write_text('ruling\tannotated_label\tstatement\n["Eels swim."]\tfalse\n')
    assert run(*flags) == 2
    assert message in capsys.readouterr().err
    assert not Path("e.json").exists()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ({"claim": "Eels fly."}, "line 1, field label: missing"),
        ({"claim": "Eels fly.", "label": "maybe"}, "line 1, field label: 'maybe' is none of Supported"),
        ({"claim": " ", "label": "true"}, "line 1, field claim: is empty"),
        ({"claim": "a", "label": "true", "evidence": [{"question": "a", "answer": "b"}], "source": "c"},
         "line 1, field source: is given as well as evidence"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_named(
    world: Path, line: dict[str, object], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("w.jsonl").write_text(json.dumps(line))
    assert run("-i", "w.jsonl") == 2
    assert message in capsys.readouterr().err
