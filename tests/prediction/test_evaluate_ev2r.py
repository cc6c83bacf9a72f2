"""The step with a scripted judge: what it prints, writes and refuses; the same through evaluate_veracity."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from src.prediction import evaluate_ev2r, evaluate_veracity

LABELS = ["Supported", "Refuted", "Refuted"]


@pytest.fixture
def flags(tmp_path: Path) -> list[str]:
    """Write three claims and predictions that are right but for the last; return the flags that name the files."""
    claims = [
        {
            "claim": f"Claim {n}.",
            "label": label,
            "questions": [{"question": f"Gold {n}?", "answers": [{"answer": "Yes.", "answer_type": "Extractive"}]}],
        }
        for n, label in enumerate(LABELS)
    ]
    (tmp_path / "dev.json").write_text(json.dumps(claims))
    predictions = [
        {
            "claim_id": n,
            "claim": f"Claim {n}.",
            "pred_label": LABELS[n] if n < 2 else "Supported",
            "evidence": [{"question": f"Asked {n}?", "answer": "No.", "url": ""}],
        }
        for n in range(3)
    ]
    (tmp_path / "predictions.json").write_text(json.dumps(predictions))
    return ["-i", str(tmp_path / "predictions.json"), "--label_file", str(tmp_path / "dev.json"),
            "--json", str(tmp_path / "scores.json")]  # fmt: skip


def answer(supported: int, of: int) -> str:
    facts = [{"fact": str(n), "verdict": "supported" if n < supported else "contradicted"} for n in range(of)]
    return json.dumps({"predicted": facts, "reference": facts})


def judge(folder: Path, questions: list[str], evidence: list[str]) -> list[str]:
    lines = [{"role": "ev2r_questions", "output": text} for text in questions]
    lines += [{"role": "ev2r_evidence", "output": text} for text in evidence]
    (folder / "script.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return ["--judge", f"scripted:{folder / 'script.jsonl'}"]


def read_scores(folder: Path) -> Any:
    return json.loads((folder / "scores.json").read_text())


def test_scores_of_three_claims(tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    spec = judge(tmp_path, [answer(1, 2), answer(1, 1), answer(0, 1)], [answer(1, 2), answer(2, 2), answer(2, 2)])
    assert evaluate_ev2r.main([*flags, *spec]) == 0
    found = read_scores(tmp_path)
    assert (found["question_recall"], found["question_precision"]) == (0.5, 0.5)
    assert found["evidence_recall"] == pytest.approx(5 / 6)
    assert (found["averitec_above_half"], found["averitec_at_least_half"]) == (
        pytest.approx(1 / 3),
        pytest.approx(2 / 3),
    )
    assert (found["scored"], found["unparseable"], found["call_failed"]) == (3, 0, 0)
    assert (found["lists_differ"], found["no_evidence"]) == (1, 0)
    assert found["judge"]["judge"] == spec[1]
    assert len(found["judge"]["prompt_sha256"]) == len(found["judge"]["revision"]) == 64
    assert found["baselines"]["claim_as_question"] is None
    assert found["claims"][0]["judgment"]["evidence"]["reference"][0] == {"fact": "0", "verdict": "supported"}
    assert "AVeriTeC score, recall >= .5" in capsys.readouterr().out
    manifest = json.loads((tmp_path / "scores.manifest.json").read_text())
    assert manifest["fingerprint"]["step"] == "src.prediction.evaluate_ev2r"


def test_failures_are_counted_apart_and_are_in_no_mean(
    tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = judge(tmp_path, [answer(2, 2)] * 2, ["what?", answer(2, 2), "what?", "no idea"])
    assert evaluate_ev2r.main([*flags, *spec]) == 1
    found = read_scores(tmp_path)
    assert (found["n"], found["scored"], found["unparseable"], found["call_failed"]) == (3, 1, 1, 1)
    assert (found["evidence_recall"], found["averitec_above_half"], found["second_requests"]) == (1, 1, 2)
    statuses = [one["judgment"]["status"] for one in found["claims"]]
    assert statuses == ["scored", "unparseable", "call_failed"]
    assert "no JSON object" in found["claims"][1]["judgment"]["reason"]
    assert "no more output" in found["claims"][2]["judgment"]["reason"]
    assert "Not scored, and in no mean: 2" in capsys.readouterr().out


def test_a_stopped_run_asks_nothing_twice(tmp_path: Path, flags: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from pytest_httpserver import HTTPServer
    from werkzeug import Request as HttpRequest
    from werkzeug import Response

    monkeypatch.setenv("OPENAI_API_KEY", "word")
    prompts: list[str] = []
    fails = True

    def reply(request: HttpRequest) -> Response:
        prompt = json.loads(request.data)["messages"][-1]["content"]
        prompts.append(prompt)
        if fails and "Claim 2." in prompt:
            return Response("broken", status=400)
        message = {"role": "assistant", "content": answer(1, 1)}
        return Response(
            json.dumps({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}),
            mimetype="application/json",
        )

    with HTTPServer(threaded=True) as server:
        server.expect_request("/v1/chat/completions").respond_with_handler(reply)
        spec = ["--judge", f"openai:tiny@{server.url_for('/v1')}", "--cache_dir", str(tmp_path / "cache")]
        assert evaluate_ev2r.main([*flags, *spec]) == 1
        assert read_scores(tmp_path)["call_failed"] == 1
        before, fails = len(prompts), False
        assert evaluate_ev2r.main([*flags, *spec]) == 0
    assert read_scores(tmp_path)["scored"] == 3
    assert {("Claim 2." in prompt) for prompt in prompts[before:]} == {True}
    assert len(prompts) - before == 2


def test_the_question_baseline_asks_once_more(tmp_path: Path, flags: list[str]) -> None:
    spec = judge(tmp_path, [answer(0, 1)] * 3 + [answer(1, 1)] * 3, [answer(1, 1)] * 3)
    assert evaluate_ev2r.main([*flags, *spec, "--question_baseline"]) == 0
    baseline = read_scores(tmp_path)["baselines"]["claim_as_question"]
    assert (read_scores(tmp_path)["question_recall"], baseline["question_recall"]) == (0, 1)


def test_official_prompts_and_their_answers(tmp_path: Path, flags: list[str]) -> None:
    for what in ("questions", "evidence"):
        (tmp_path / f"ev2r_{what}.md").write_text("{} {} {}")

    def official(what: str) -> str:
        sides: dict[str, object] = {}
        for side in ("predicted", "reference"):
            sides |= {f"facts in {side} {what}": "1. One.", f"fact check {side} {what}": "1. One. Supported.",
                      f"facts count {side} {what}": 1, f"support {side} {what}": 2}  # fmt: skip
        return json.dumps(sides)

    spec = judge(tmp_path, [official("questions")] * 3, [official("evidence")] * 3)
    assert evaluate_ev2r.main([*flags, *spec, "--prompts", str(tmp_path), "--inputs", "evalai"]) == 0
    found = read_scores(tmp_path)
    assert (found["evidence_recall"], found["counts_differ"], found["judge"]["inputs"]) == (1, 3, "evalai")


def test_joined_evidence_asks_for_no_questions(tmp_path: Path, flags: list[str]) -> None:
    rows = [{"id": n, "label": LABELS[n], "evidence": ["Asked? No."]} for n in range(3)]
    (tmp_path / "joined.jsonl.gz").write_bytes(gzip.compress("\n".join(map(json.dumps, rows)).encode()))
    spec = judge(tmp_path, [], [answer(1, 1)] * 3)
    assert evaluate_ev2r.main([*flags, "-i", str(tmp_path / "joined.jsonl.gz"), *spec]) == 0
    assert (read_scores(tmp_path)["question_recall"], read_scores(tmp_path)["evidence_recall"]) == (None, 1)


def test_a_failure_of_the_baseline_is_counted(
    tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = judge(tmp_path, [answer(0, 1)] * 3 + [answer(1, 1)], [answer(1, 1)] * 3)
    assert evaluate_ev2r.main([*flags, *spec, "--question_baseline"]) == 1
    assert read_scores(tmp_path)["baselines"]["claim_as_question_scored"] == 1
    assert "Claim as question: means over 1 of these claims" in capsys.readouterr().out


def test_an_empty_prediction_in_a_joined_file_brings_no_scores_of_questions(tmp_path: Path, flags: list[str]) -> None:
    rows = [{"id": n, "label": LABELS[n], "evidence": ["Asked? No."] if n else []} for n in range(3)]
    (tmp_path / "joined.jsonl").write_text("\n".join(map(json.dumps, rows)))
    spec = judge(tmp_path, [], [answer(1, 1)] * 2)
    assert evaluate_ev2r.main([*flags, "-i", str(tmp_path / "joined.jsonl"), *spec]) == 0
    assert (read_scores(tmp_path)["question_recall"], read_scores(tmp_path)["no_evidence"]) == (None, 1)


def test_claims_without_gold_questions_are_refused(
    tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    claims = json.loads((tmp_path / "dev.json").read_text())
    claims[1]["questions"] = []
    (tmp_path / "dev.json").write_text(json.dumps(claims))
    assert evaluate_ev2r.main([*flags, *judge(tmp_path, [], [])]) == 2
    assert "field questions: 1 claim(s) without gold questions" in capsys.readouterr().err
    assert evaluate_veracity.main(flags) == 0


def test_missing_predictions_are_wrong_by_rule(tmp_path: Path, flags: list[str]) -> None:
    rows = json.loads((tmp_path / "predictions.json").read_text())
    (tmp_path / "predictions.json").write_text(json.dumps(rows[:2]))
    spec = judge(tmp_path, [answer(1, 1)] * 2, [answer(1, 1)] * 2)
    assert evaluate_ev2r.main([*flags, *spec]) == 2
    assert evaluate_ev2r.main([*flags, *spec, "--allow_missing"]) == 0
    found = read_scores(tmp_path)
    assert (found["scored"], found["no_evidence"]) == (3, 1)
    assert found["evidence_recall"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--judge", "nobody"], "nobody"),
        (["--judge", "entailment:none"], "none"),
        (["--judge", "entailment", "--prompts", "x"], "--prompts changes nothing with --judge entailment"),
        (["--judge", "entailment", "--cache_dir", "x"], "--cache_dir changes nothing with --judge entailment"),
        (["--prompts", "none"], "ev2r_questions.md"),
        (["--proxy", "llm"], "--proxy llm: no such checkpoint or folder, and none of the names stacked"),
        (["--proxy", "nobody"], "--proxy"),
        (["--batch_file", "x.jsonl"], "--batch_file"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path, flags: list[str], more: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate_ev2r.main([*flags, *judge(tmp_path, [], []), *more]) == 2
    (error,) = capsys.readouterr().err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert not (tmp_path / "scores.json").exists()


def test_evaluate_veracity_has_both_scores(
    tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    spec = judge(tmp_path, [answer(1, 1)] * 3, [answer(1, 1)] * 3)
    assert evaluate_veracity.main([*flags, "--ev2r", *spec]) == 0
    found = read_scores(tmp_path)
    assert found["ev2r"]["averitec_above_half"] == pytest.approx(2 / 3)
    assert found["veracity"]["acc"] == pytest.approx(2 / 3)
    printed = capsys.readouterr().out
    assert printed.index("Question-only score") < printed.index("Ev2R, judge")


def test_flags_of_a_judge_need_ev2r(tmp_path: Path, flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate_veracity.main([*flags, *judge(tmp_path, [], [])]) == 2
    assert "--judge is read with --ev2r only" in capsys.readouterr().err
    assert evaluate_veracity.main([*flags, "--cache_dir", "x"]) == 2
    assert "--cache_dir is read with --ev2r only" in capsys.readouterr().err
    assert evaluate_veracity.main([*flags, "--ev2r", "--judge", "nobody"]) == 2
    assert "Question-only" not in capsys.readouterr().out
    assert evaluate_veracity.main(flags) == 0
    assert "ev2r" not in read_scores(tmp_path)


def test_an_unknown_judge_lists_the_small_one_too(flags: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate_ev2r.main([*flags, "--judge", "gpt-4o"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("error: unknown model 'gpt-4o'; known are: ")
    assert err.endswith("; entailment\n")
