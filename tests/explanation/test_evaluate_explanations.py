"""The step: several methods side by side, from their files alone or with gold, a judge and people."""

import json
import math
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from src.explanation import evaluate_explanations, generate_explanations, refine_explanations
from src.llm.protocol import ModelInfo

FLAGGED = "Eels swim in rivers. Nils Falk saw them; so the claim is refuted."
PLAIN = "Eels swim in rivers; so the claim is refuted."
EVIDENCE = [{"question": "Where do eels live?", "answer": "Eels swim in rivers.", "url": "https://a.example"}]
CLAIMS = 6


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("flagged.json", [line(n, FLAGGED) for n in range(CLAIMS)])
    write("plain.json", [line(n, PLAIN) for n in range(CLAIMS)])
    return tmp_path


def line(claim_id: int, explanation: str | None, **more: Any) -> dict[str, Any]:
    known = {"claim_id": claim_id, "claim": f"Eels fly {claim_id}.", "label": "Refuted", "evidence": EVIDENCE}
    return known | {"explanation": explanation} | more


def write(name: str, lines: list[dict[str, Any]]) -> None:
    Path(name).write_text("".join(json.dumps(one) + "\n" for one in lines))


def debate(draft: str) -> dict[str, Any]:
    return {
        "stop": "agreed", "rounds": 0, "calls": 4, "dropped_quotes": 0, "accepted": True, "transcript": [],
        "draft": draft, "prompt_tokens": 100, "new_tokens": 20,
    }  # fmt: skip


def run(*flags: str, files: tuple[str, ...] = ("flagged.json", "plain.json")) -> int:
    return evaluate_explanations.main(["-i", *files, "--tagger", "none", *flags])


def scores(*flags: str, files: tuple[str, ...] = ("flagged.json", "plain.json")) -> dict[str, Any]:
    assert run("-o", "s.json", *flags, files=files) == 0
    report: dict[str, Any] = json.loads(Path("s.json").read_text())
    return report


def test_findings_of_each_method_and_their_paired_difference(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = scores()
    first, second = report["findings"]
    assert (first["sentences"], first["by_type"]["EE"], first["rates"]["clean"]["value"]) == (12, 6, 0.0)
    assert first["rates"]["per_sentence"]["value"] == 0.5
    assert first["rates"]["per_explanation"]["to_first"] is None
    assert second["rates"]["per_explanation"]["to_first"] == {"value": -1.0, "interval": [-1.0, -1.0]}
    assert "-1.000 [-1.000, -1.000]  better" in capsys.readouterr().out
    assert first["claims"][0] == {
        "claim_id": 0, "explanation": {"sentences": 2, "flagged": 1, "types": ["EE"]}, "draft": None,
    }  # fmt: skip
    assert scores("--against", "plain")["methods"][0]["name"] == "plain"
    assert scores("--start", "2", "--end", "4")["claims"] == [2, 3]


def test_of_few_claims_nothing_is_better(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = scores("--end", "1")
    first = {"value": -1.0, "interval": [-1.0, -1.0], "few": True}
    assert report["findings"][1]["rates"]["per_explanation"]["to_first"] == first
    printed = capsys.readouterr().out
    assert "-1.000 [-1.000, -1.000]  no clear difference" in printed
    assert evaluate_explanations.main(["--from", "s.json"]) == 0
    assert capsys.readouterr().out == printed


def test_before_and_after_a_debate_and_its_cost(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refined = [line(n, PLAIN if n else FLAGGED, debate=debate(FLAGGED)) for n in range(3)]
    write("madr.json", [*refined, *(line(n, PLAIN) for n in range(3, CLAIMS))])
    (one,) = scores(files=("madr.json",))["findings"]
    assert one["before"]["per_explanation"]["value"] == 0.5
    assert one["refined"]["per_explanation"]["value"] == pytest.approx(1 / 6)
    assert one["refined"]["per_explanation"]["to_first"]["value"] == pytest.approx(-1 / 3)
    (method,) = json.loads(Path("s.json").read_text())["methods"]
    assert method["cost"] == {"calls": 2.0, "prompt_tokens": 50.0, "new_tokens": 10.0, "seconds": None}
    assert "1       2.00   50             10          -" in capsys.readouterr().out


def test_cost_comes_from_the_manifests_of_drafts_and_debates(world: Path) -> None:
    nothing = json.dumps({"errors": []})
    script = [{"role": role, "output": nothing} for _ in range(CLAIMS) for role in ("debater_1", "debater_2")]
    write("s.jsonl", script)
    refine = ["-i", "flagged.json", "-o", "madr.json", "--llm", "scripted:s.jsonl", "--tagger", "none"]
    assert refine_explanations.main(refine) == 0
    again = ["-i", "madr.json", "-o", "twice.json", "--llm", "scripted:s.jsonl", "--tagger", "none"]
    assert refine_explanations.main(again) == 0
    one, two, none = scores(files=("madr.json", "twice.json", "flagged.json"))["methods"]
    assert one["cost"]["calls"] == 2.0
    assert two["cost"]["calls"] == 4.0
    assert two["cost"]["seconds"] > one["cost"]["seconds"] > 0
    assert none["cost"] == {"calls": None, "prompt_tokens": None, "new_tokens": None, "seconds": None}
    write("madr.json", [line(n, PLAIN) for n in range(CLAIMS)])  # no longer what its manifest tells of
    one, two = scores(files=("madr.json", "twice.json"))["methods"]
    assert (one["cost"]["calls"], two["cost"]["calls"]) == (None, 2.0)


def test_cost_has_the_drafts_wherever_they_were_written(world: Path) -> None:
    write("claims.json", [line(n, None) for n in range(2)])
    same = json.dumps({"errors": [{"quote": "Nils Falk saw them", "type": "EE", "reason": "r", "fix": "f"}]})
    agents = {"debater_1": same, "debater_2": same, "judge": "True", "refiner": PLAIN}
    drafts = [{"role": "explanation_zero_shot", "output": text} for text in (FLAGGED, PLAIN)]
    write("s.jsonl", [*drafts, *({"role": role, "output": text} for role, text in agents.items())])
    model = ["--llm", "scripted:s.jsonl"]
    refine = [*model, "--tagger", "none"]
    assert refine_explanations.main(["-i", "claims.json", "-o", "at_once.json", *refine]) == 0
    assert generate_explanations.main(["-i", "claims.json", "-o", "d.json", "--method", "zero_shot", *model]) == 0
    assert refine_explanations.main(["-i", "d.json", "-o", "apart.json", *refine]) == 0
    files = ("at_once.json", "apart.json", "d.json")
    at_once, apart, drafted = (one["cost"] for one in scores(files=files)["methods"])
    assert (at_once["calls"], drafted["calls"]) == (3.0, 1.0)
    for name in ("calls", "prompt_tokens", "new_tokens"):
        assert at_once[name] == apart[name] > drafted[name]
    at_once, apart, drafted = (one["cost"] for one in scores("--start", "1", "--end", "2", files=files)["methods"])
    assert at_once["calls"] == apart["calls"] == drafted["calls"] == 1.0


def test_claims_that_a_method_does_not_explain_are_left_out(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write("few.json", [line(0, PLAIN), line(1, None), line(2, " \n"), line(9, PLAIN)])
    report = scores(files=("a=flagged.json", "b=few.json"))
    assert (report["claims"], [one["empty"] for one in report["methods"]]) == ([0], [0, 2])
    captured = capsys.readouterr()
    assert captured.err.splitlines()[:2] == [
        "claim 9 is left out: a has no explanation of it",
        "5 claims are left out (1-5): b has no explanation of them",
    ]
    assert "2: b (few.json, 4 claims, 2 of them without an explanation)" in captured.out


def test_meteor_against_gold(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    questions = [{"question": "Where do eels live?", "answers": [{"answer": "Eels swim in rivers."}]}]
    gold = {"label": "Refuted", "justification": "Eels swim in rivers.", "questions": questions}
    Path("dev.json").write_text(json.dumps([{"claim": f"Eels fly {n}.", **gold} for n in range(CLAIMS)]))
    report = scores("--gold", "dev.json")["gold"]
    assert (report["claims"], len(report["methods"])) == (CLAIMS, 2)
    assert report["methods"][1]["meteor"]["to_first"]["value"] > 0
    assert "METEOR of the justification, over 6 claims with a gold one: dev.json" in capsys.readouterr().out


def test_a_judge_beside_people(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = [str(score) for score in (5, 5, 4, 3, 2, 1, 5, 5, 5, 5, 5)] + ["?"]
    write("j.jsonl", [{"role": "geval_document", "output": one} for one in outputs])
    rated = [{"claim_id": n, "method": "flagged", "ratings": [CLAIMS - n, None]} for n in range(CLAIMS)]
    write("h.jsonl", [*rated, *({"claim_id": n, "method": "plain", "rating": 3} for n in range(CLAIMS))])
    judge = ("--judge", "scripted:j.jsonl", "--protocol", "document", "--samples", "1", "--seed", "3")
    report = scores(*judge, "--human", "h.jsonl", "--paper")
    (protocol,) = report["geval"]["protocols"]
    assert (report["geval"]["seed"], protocol["claims"]) == (3, 5)
    first, second = protocol["methods"]
    assert (first["mean"]["value"], first["lowest"], first["undefined"]) == (3.8, 1.0, 0)
    assert (second["undefined"], second["unparsed"], second["calls"]) == (1, 1, 6)
    by_judge, by_checks = report["human"]["taus"]
    assert (by_judge["metric"], by_judge["items"]) == ("G-Eval, document", 11)
    assert by_judge["by_method"][1] is None
    assert by_checks["by_method"] == [None, None]
    assert report["human"]["missing"] == CLAIMS
    out = capsys.readouterr().out
    assert "NaN" not in Path("s.json").read_text()
    for text in ("Table 2 of the paper", "Table 3 of the paper", "paper: MADR         20", "0.150", "undefined"):
        assert text in out
    assert evaluate_explanations.main(["--from", "s.json", "--paper"]) == 0
    assert capsys.readouterr().out == out


def test_failed_requests_of_a_judge_are_reported_with_a_reason(
    world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("src.llm.scripted_backend.ModelInfo", partial(ModelInfo, context=100))
    write("j.jsonl", [{"role": "geval_document", "output": "5"}])
    judge = ("--judge", "scripted:j.jsonl", "--protocol", "document", "--samples", "2")
    report = scores(*judge, files=("plain.json",))["geval"]
    assert report["failed"] == 2 * CLAIMS
    assert report["first_error"].startswith("scripted:j.jsonl has not enough context: 100 tokens, where geval_document")
    out = capsys.readouterr().out
    assert f"{2 * CLAIMS} requests failed; the first error: {report['first_error']}" in out
    report = json.loads(Path("s.json").read_text())
    del report["geval"]["failed"], report["geval"]["first_error"]  # as files had it before
    Path("s.json").write_text(json.dumps(report))
    assert evaluate_explanations.main(["--from", "s.json"]) == 0
    assert "requests failed" not in capsys.readouterr().out


def test_probabilities_that_are_not_those_of_the_scores_are_reported(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    even = [math.log(0.2)] * 5
    write("j.jsonl", [{"role": "geval_document", "output": even}] * CLAIMS)
    judge = ("--judge", "scripted:j.jsonl", "--protocol", "document", "--weighted")
    (protocol,) = scores(*judge, files=("plain.json",))["geval"]["protocols"]
    assert protocol["methods"][0]["mean"]["value"] == pytest.approx(3.0)
    assert "weighted by their probability" in capsys.readouterr().out
    report = json.loads(Path("s.json").read_text())
    report["geval"]["found"] = {"letters_read": 6}
    Path("s.json").write_text(json.dumps(report))
    assert evaluate_explanations.main(["--from", "s.json"]) == 0
    assert "not all probabilities are those of the scores themselves: letters_read 6" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-i", "none.json"], "none.json: not found; it is written by: src.explanation.generate_explanations or "
         "src.explanation.refine_explanations"),
        (["-i", "="], "'=' is neither NAME=FILE nor a file"),
        (["-i", "plain.json", "plain.json"], "two methods are called plain; name them: -i NAME=FILE"),
        (["-i", "plain.json", "--against", "b"], "--against b: the methods are plain"),
        (["-i", "empty.json"], "empty.json: holds no explanation"),
        (["-i", "dev.json"], "dev.json: holds no explanation"),
        (["-i", "plain.json", "other.json"], "other.json: claim 0 is another one than in plain.json"),
        (["-i", "plain.json", "far.json"], "there is no claim that all of these files explain"),
        (["-i", "h.jsonl"], "h.jsonl, line 1, field claim: missing"),
        (["-i", "plain.json", "--gold", "h.jsonl"], "h.jsonl, line 1, field claim: missing"),
        (["-i", "plain.json", "--human", "plain.json"], "plain.json, line 1, field ratings: missing"),
        (["-i", "plain.json", "--samples", "3"], "--samples changes nothing without --judge"),
        (["-i", "plain.json", "--judge", "x", "--weighted", "--samples", "3"],
         "--samples changes nothing with --weighted"),
        (["-i", "plain.json", "--judge", "x"], "unknown model 'x'"),
        (["-i", "plain.json", "--judge", "openai:x", "--batch_file", "b"], "--batch_file: G-Eval cannot wait"),
        (["-i", "plain.json", "-o", "plain.json"], "plain.json: the file of scores would overwrite"),
        (["--from", "plain.json"], "plain.json, line 1, field methods: missing"),
        (["--from", "h.jsonl", "--gold", "x"], "--gold changes nothing with --from"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(world: Path, argv: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("empty.json", [line(0, None), line(1, "")])
    write("dev.json", [{"claim": "Eels fly 0.", "label": "Refuted", "justification": " "}])
    write("other.json", [line(0, PLAIN, claim="Frogs sing.")])
    write("far.json", [line(77, PLAIN)])
    write("h.jsonl", [{"claim_id": 0, "rating": 3}])
    words = [] if "--from" in argv else ["--tagger", "none"]
    assert evaluate_explanations.main([*argv, *words]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: ")
    assert message in printed
    assert printed.count("\n") == 1


@pytest.mark.parametrize(("given", "why"), [("0", "0 is not above 0 "), ("2.5", "2.5 is more than 2 ")])
def test_a_temperature_out_of_bounds_is_refused(given: str, why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        evaluate_explanations.main(["-i", "plain.json", "--judge", "x", "--samples", "3", "--temperature", given])
    assert ended.value.code == 2
    assert capsys.readouterr().err.startswith(f"error: argument --temperature: {why}")
