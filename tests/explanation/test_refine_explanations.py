"""The step: flagged explanations are debated, and a revision is accepted only if it makes nothing worse."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from src.explanation import refine_explanations
from src.explanation.labels import CONCLUSIONS, conclusion
from src.explanation.records import ExplainedClaim
from src.llm.protocol import ModelInfo, Reply, Request
from src.llm.scripted_backend import ScriptedModel
from src.store import read_by_claim

FLAGGED = "Eels swim in rivers. Nils Falk saw them; so the claim is refuted."
PLAIN = "Eels swim in rivers; so the claim is refuted."
EVIDENCE = [{"question": "Where do eels live?", "answer": "Eels swim in rivers.", "url": "https://a.example"}]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line(explanation: str | None, claim_id: int = 0) -> dict[str, Any]:
    line = {"claim_id": claim_id, "claim": "Eels fly.", "label": "Refuted", "evidence": EVIDENCE}
    return line if explanation is None else line | {"explanation": explanation, "cites": [[1]]}


def remarks(*quotes: str) -> str:
    return json.dumps({"errors": [{"quote": one, "type": "EE", "reason": "r", "fix": "f"} for one in quotes]})


def run(lines: list[dict[str, Any]], script: list[tuple[str, str]], *flags: str) -> int:
    Path("e.json").write_text("\n".join(map(json.dumps, lines)))
    Path("s.jsonl").write_text("".join(json.dumps({"role": role, "output": text}) + "\n" for role, text in script))
    return refine_explanations.main(
        ["-i", "e.json", "-o", "d.json", "--llm", "scripted:s.jsonl", "--tagger", "none", *flags]
    )


def output() -> list[ExplainedClaim]:
    return read_by_claim(Path("d.json"), ExplainedClaim)


def manifest() -> dict[str, Any]:
    made: dict[str, Any] = json.loads(Path("d.manifest.json").read_text())
    return made


def failures() -> list[tuple[int, str]]:
    lines = map(json.loads, Path("d.failures.jsonl").read_text().splitlines())
    return [(one["claim_id"], one["message"]) for one in lines]


def agreed(revision: str) -> list[tuple[str, str]]:
    same = remarks("Nils Falk saw them")
    return [("debater_1", same), ("debater_2", same), ("judge", "True"), ("refiner", revision)]


def test_a_flagged_explanation_is_debated_and_mended(world: Path) -> None:
    assert run([line(FLAGGED)], agreed(f"Explanation: {PLAIN} [1]")) == 0
    (one,) = output()
    assert (one.explanation, one.cites, one.label) == (PLAIN, [[1]], "Refuted")
    assert one.debate is not None
    assert (one.debate.stop, one.debate.calls, one.debate.accepted, one.debate.draft) == ("agreed", 4, True, FLAGGED)
    written = json.loads(Path("d.json").read_text())["debate"]
    assert list(written)[:6] == ["stop", "rounds", "calls", "dropped_quotes", "accepted", "transcript"]
    counts = json.loads(Path("d.manifest.json").read_text())["counts"]
    assert (counts["findings_before"], counts["findings_after"], counts["stopped_agreed"]) == (1, 0, 1)


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        ("...", "the revision says nothing"),
        ("[1]", "the revision says nothing"),
        ("I cannot do that.", "the revision no longer states the verdict"),
        ("There is no evidence that the claim is refuted.", "the revision is another text"),
        ("Frogs sing; so the claim is refuted.", "the revision is another text"),
    ],
)
def test_what_is_no_revision_is_kept_back(world: Path, revision: str, why: str) -> None:
    assert run([line(FLAGGED)], agreed(revision)) == 0
    (one,) = output()
    assert one.explanation == FLAGGED
    assert one.debate is not None
    assert (one.debate.accepted, one.debate.kept_back) == (False, why)


@pytest.mark.parametrize("label", [label for label in CONCLUSIONS if label not in ("Refuted", "false", "refutes")])
def test_a_revision_that_states_another_verdict_is_kept_back(world: Path, label: str) -> None:
    for text in (conclusion(label), conclusion(label).removeprefix("so ").capitalize()):
        assert run([line(FLAGGED)], agreed(f"Eels swim in rivers; {text}."), "--overwrite") == 0
        (one,) = output()
        assert one.explanation == FLAGGED
        assert one.debate is not None
        assert one.debate.kept_back.endswith("but the verdict is Refuted")


@pytest.mark.parametrize("revision", ["Eels swim in rivers.", "Eels swim in rivers", "Eels swim in rivers [1]"])
def test_a_revision_that_leaves_the_verdict_out_gets_it_back(world: Path, revision: str) -> None:
    assert run([line(FLAGGED)], agreed(revision)) == 0
    assert output()[0].explanation == "Eels swim in rivers. So the claim is refuted."


def test_a_long_draft_has_room_for_its_revision(world: Path) -> None:
    long = " ".join(["Eels swim in rivers."] * 30)
    assert run([line(f"{long} {FLAGGED}")], agreed(f"{long} {PLAIN}")) == 0
    assert output()[0].explanation == f"{long} {PLAIN}"


def test_what_nothing_flags_is_debated_only_always(world: Path) -> None:
    assert run([line(PLAIN)], []) == 0
    assert output()[0].debate is None
    nothing = [("debater_1", remarks()), ("debater_2", remarks())]
    assert run([line(f"  {PLAIN}\n")], nothing, "--policy", "always", "--overwrite") == 0
    (one,) = output()
    assert one.explanation == f"  {PLAIN}\n"
    assert one.debate is not None
    assert (one.debate.stop, one.debate.calls) == ("empty", 2)


def test_a_revision_that_is_the_draft_again_leaves_its_bytes(world: Path) -> None:
    assert run([line(f" {FLAGGED}\n")], agreed(f"{FLAGGED} [1]")) == 0
    (one,) = output()
    assert one.explanation == f" {FLAGGED}\n"
    assert one.debate is not None
    assert (one.debate.accepted, one.debate.kept_back) == (False, "the revision is the draft again")


@pytest.mark.parametrize("explanation", ["", " \n"])
def test_an_empty_explanation_is_not_debated(world: Path, explanation: str) -> None:
    assert run([line(explanation)], [], "--policy", "always") == 0
    assert (output()[0].explanation, output()[0].debate) == (explanation, None)


def test_a_justification_that_is_the_draft_is_noted(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold = [line(None, number) | {"justification": PLAIN} for number in range(2)]
    assert run([*gold, line(PLAIN, 2)], []) == 0
    expected = "2 claims without an explanation: the justification is the draft"
    assert capsys.readouterr().out.splitlines()[0] == f"refine_explanations: note: {expected}"
    assert manifest()["notes"] == [expected]
    assert run([line(PLAIN)], [], "--overwrite") == 0
    assert "note" not in capsys.readouterr().out


def test_without_an_explanation_a_draft_comes_first(world: Path) -> None:
    script = [("explanation_zero_shot", FLAGGED), *agreed(PLAIN)]
    assert run([line(None)], script) == 0
    (one,) = output()
    assert one.explanation == PLAIN
    assert one.debate is not None
    assert one.debate.draft == FLAGGED
    assert one.drafting is not None
    assert (one.debate.calls, one.drafting.calls) == (4, 1)
    counts = manifest()["counts"]
    assert (counts["drafts"], counts["model_calls"]) == (1, 5)
    tokens = one.debate.prompt_tokens + one.drafting.prompt_tokens
    assert counts["prompt_tokens"] == tokens > one.debate.prompt_tokens


def test_a_draft_that_is_not_written_fails_its_claim_alone(world: Path) -> None:
    script = [("explanation_zero_shot", FLAGGED), ("explanation_zero_shot", " "), *agreed(PLAIN)]
    assert run([line(None), line(None, 1)], script) == 1
    assert [one.explanation for one in output()] == [PLAIN, ""]
    assert failures() == [(1, "the model wrote no explanation")]
    assert (manifest()["counts"]["drafts"], manifest()["counts"]["model_calls"]) == (2, 6)
    assert run([line(FLAGGED), line(None, 1)], agreed(PLAIN), "--overwrite") == 1
    assert [one.explanation for one in output()] == [PLAIN, None]
    assert failures() == [(1, "no draft: scripted:s.jsonl: no more output for role 'explanation_zero_shot' (0 used)")]


def test_an_agent_that_fails_leaves_its_claim_among_the_failures(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([line(FLAGGED), line(PLAIN, 1)], [("debater_1", "?"), ("debater_1", "?")]) == 1
    first, second = output()
    assert (first.explanation, second.explanation) == (FLAGGED, PLAIN)
    assert first.debate is not None
    assert first.debate.stop == "agent-failed"
    assert "an agent did not answer" in Path("d.failures.jsonl").read_text()


def test_an_agent_that_fails_late_leaves_its_text_so_far(world: Path) -> None:
    script = [("self_refine_feedback", remarks("Nils Falk saw them")), ("self_refine", PLAIN)]
    assert run([line(FLAGGED)], script, "--method", "self_refine") == 1
    (one,) = output()
    assert one.explanation == PLAIN
    assert one.debate is not None
    assert (one.debate.stop, one.debate.accepted) == ("agent-failed", True)
    ((failed, why),) = failures()
    assert (failed, why[:60]) == (0, "an agent did not answer, or not readably: scripted:s.jsonl: ")


def test_each_agent_may_have_its_own_model(world: Path) -> None:
    Path("j.jsonl").write_text(json.dumps({"role": "judge", "output": "False"}) + "\n")
    assert run([line(FLAGGED)], agreed(PLAIN), "--judge", "scripted:j.jsonl", "--max_rounds", "0") == 0
    (one,) = output()
    assert one.debate is not None
    assert one.debate.stop == "cap"
    assert {name: info["name"] for name, info in manifest()["model"].items()} == {
        "debater_1": "s.jsonl", "debater_2": "s.jsonl", "judge": "j.jsonl", "refiner": "s.jsonl",
    }  # fmt: skip


def test_the_model_of_drafts_is_read_only_where_one_is_missing(world: Path) -> None:
    roles = [
        flag for role in ("debater_1", "debater_2", "judge", "refiner") for flag in (f"--{role}", "scripted:s.jsonl")
    ]
    assert run([line(FLAGGED)], agreed(PLAIN), *roles, "--llm", "scripted:none.jsonl") == 0
    assert "none.jsonl" not in json.dumps(manifest()["model"])
    assert run([line(None)], agreed(PLAIN), *roles, "--llm", "scripted:none.jsonl", "--overwrite") == 2
    Path("w.jsonl").write_text(json.dumps({"role": "explanation_zero_shot", "output": FLAGGED}) + "\n")
    assert run([line(None)], agreed(PLAIN), *roles, "--llm", "scripted:w.jsonl", "--overwrite") == 0
    assert manifest()["model"]["draft"]["name"] == "w.jsonl"


@pytest.mark.parametrize(
    ("method", "script", "calls", "rounds"),
    [
        ("self_refine", [("self_refine_feedback", remarks("Nils Falk saw them")), ("self_refine", PLAIN),
                         ("self_refine_feedback", remarks())], 3, 3),
        ("self_correct", [("self_correct", FLAGGED)] * 12 + [("self_correct", PLAIN)], 13, 3),
        ("debate", [("debater_1", PLAIN)] * 2 + [("debater_2", "Eels swim.")] * 3, 5, 2),
    ],
)  # fmt: skip
def test_other_methods_leave_the_same_record(
    world: Path, method: str, script: list[tuple[str, str]], calls: int, rounds: int
) -> None:
    assert run([line(FLAGGED)], script, "--method", method) == 0
    (one,) = output()
    assert one.explanation == PLAIN
    assert one.debate is not None
    assert (one.debate.method, one.debate.calls, one.debate.accepted) == (method, len(one.debate.transcript), True)
    assert one.debate.calls in (calls, calls - 2)
    made = manifest()
    assert (made["arguments"]["method"], made["arguments"]["max_rounds"]) == (method, rounds)
    assert made["counts"]["model_calls"] == one.debate.calls
    assert made["counts"]["model_milliseconds"] >= 0


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--method self_refine --judge x", "--judge changes nothing with --method self_refine"),
        ("--method self_correct --debater_1 x", "--debater_1 changes nothing with --method self_correct"),
        ("--method debate --refiner x", "--refiner changes nothing with --method debate"),
        ("--method debate --typology none", "--typology changes nothing with --method debate"),
        ("--method self_refine --typology debater_1", "--typology debater_1 goes with --method madr"),
        ("--method debate --no-grammar", "--no-grammar changes nothing with --method debate"),
        ("--method debate --max_rounds 0", "--max_rounds 0 leaves --method debate nothing to do"),
    ],
)
def test_flags_that_do_not_fit_are_refused(
    world: Path, flags: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([line(FLAGGED)], [], *flags.split()) == 2
    assert message in capsys.readouterr().err


WORSE = "Ada Moor said that the claim is supported. " * 30


def test_published_takes_the_revision_as_it_is(world: Path) -> None:
    assert run([line(PLAIN)], agreed(WORSE), "--accept", "published") == 0
    (one,) = output()
    assert one.explanation == WORSE.strip()
    assert one.debate is not None
    assert (one.debate.accepted, one.debate.kept_back) == (True, "")
    assert (manifest()["arguments"]["max_rounds"], manifest()["arguments"]["policy"]) == (10, "always")


def test_published_keeps_the_draft_if_a_revision_is_empty(world: Path) -> None:
    assert run([line(PLAIN)], agreed("[1]"), "--accept", "published") == 1
    (one,) = output()
    assert (one.explanation, one.cites) == (PLAIN, [[1]])
    assert one.debate is not None
    assert (one.debate.stop, one.debate.accepted) == ("agreed", False)
    why = "the revision says nothing: it holds only citation marks or dots"
    assert one.debate.kept_back == why
    assert failures() == [(0, f"the draft is kept: {why}")]


def test_published_drafts_are_as_long_as_the_model_writes_them(world: Path) -> None:
    script = [("explanation_zero_shot", WORSE), *agreed(PLAIN)]
    assert run([line(None)], script, "--accept", "published") == 0
    (one,) = output()
    assert one.debate is not None
    assert one.debate.draft == WORSE.strip()


@pytest.mark.parametrize("flags", ["--policy flagged", "--max_words 9"])
def test_flags_that_do_not_go_with_published_are_refused(
    world: Path, flags: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([line(FLAGGED)], [], "--accept", "published", *flags.split()) == 2
    assert "--accept " in capsys.readouterr().err


@pytest.mark.parametrize(("flags", "pieces"), [((), 400), (("--source_words", "400"), 80)])
def test_agents_read_the_whole_source(
    world: Path, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], pieces: int
) -> None:
    requests: list[Request] = []
    answer = ScriptedModel._answer

    def noting(model: ScriptedModel, request: Request) -> Reply:
        requests.append(request)
        return answer(model, request)

    monkeypatch.setattr(ScriptedModel, "_answer", noting)
    long = {"claim_id": 0, "claim": "Eels fly.", "label": "Refuted", "explanation": FLAGGED,
            "source": "\n".join(f"Sentence {number} is on frogs." for number in range(400))}  # fmt: skip
    assert run([long], agreed(PLAIN), *flags) == 0
    seen = {one.role: one.prompt.count("is on frogs.") for one in requests}
    assert seen == {"debater_1": pieces, "debater_2": pieces, "judge": 0, "refiner": pieces}


def test_a_request_that_does_not_fit_fails_its_claim(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.llm.scripted_backend.ModelInfo", partial(ModelInfo, context=600))
    assert run([line(FLAGGED), line(PLAIN, 1)], agreed(PLAIN)) == 1
    ((failed, why),) = failures()
    assert failed == 0
    assert "scripted:s.jsonl has not enough context: 600 tokens, where debater_" in why
    assert why.endswith("take a model with more, or give it less to read")
    debate = output()[0].debate
    assert debate is not None
    assert (debate.calls, [one.agent for one in debate.transcript]) == (0, ["debater_1", "debater_2"])
    assert manifest()["counts"]["model_calls"] == 0


def test_a_draft_without_room_is_no_call(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.llm.scripted_backend.ModelInfo", partial(ModelInfo, context=100))
    assert run([line(None)], [("explanation_zero_shot", PLAIN)]) == 1
    ((_, why),) = failures()
    assert why.startswith("no draft: scripted:s.jsonl has not enough context: 100 tokens")
    assert manifest()["counts"]["model_calls"] == 0
