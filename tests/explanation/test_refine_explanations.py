"""The step: what the checks flag is debated, a revision is taken only where it makes nothing worse."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.explanation import refine_explanations
from src.explanation.records import ExplainedClaim
from src.store import read_by_claim

FLAGGED = "Eels swim in rivers. Nils Falk saw them; so the claim is refuted."
PLAIN = "Eels swim in rivers; so the claim is refuted."
EVIDENCE = [{"question": "Where do eels live?", "answer": "Eels swim in rivers.", "url": "https://a.example"}]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def line(explanation: str | None, claim_id: int = 0) -> dict[str, Any]:
    found = {"claim_id": claim_id, "claim": "Eels fly.", "label": "Refuted", "evidence": EVIDENCE}
    return found if explanation is None else found | {"explanation": explanation, "cites": [[1]]}


def remarks(*quotes: str) -> str:
    return json.dumps({"errors": [{"quote": one, "type": "EE", "reason": "r", "fix": "f"} for one in quotes]})


def run(lines: list[dict[str, Any]], script: list[tuple[str, str]], *flags: str) -> int:
    Path("e.json").write_text("\n".join(map(json.dumps, lines)))
    Path("s.jsonl").write_text("".join(json.dumps({"role": role, "output": text}) + "\n" for role, text in script))
    return refine_explanations.main(["-i", "e.json", "-o", "d.json", "--llm", "scripted:s.jsonl", *flags])


def found() -> list[ExplainedClaim]:
    return read_by_claim(Path("d.json"), ExplainedClaim)


def agreed(revision: str) -> list[tuple[str, str]]:
    same = remarks("Nils Falk saw them")
    return [("debater_1", same), ("debater_2", same), ("judge", "True"), ("refiner", revision)]


def test_a_flagged_explanation_is_debated_and_mended(world: Path) -> None:
    assert run([line(FLAGGED)], agreed(f"Explanation: {PLAIN} [1]")) == 0
    (one,) = found()
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
        ("Eels swim in rivers; the claim is supported.", "RC the claim is supported: the verdict is Refuted"),
        ("Ada Moor said that eels swim.", "EE Ada Moor: neither the claim nor its evidence names Ada Moor"),
        ("Eels swim in 1913 rivers.", "EE 1913: neither the claim nor its evidence has this number"),
    ],
)
def test_a_revision_that_makes_it_worse_is_kept_back(world: Path, revision: str, why: str) -> None:
    assert run([line(FLAGGED)], agreed(revision)) == 0
    (one,) = found()
    assert (one.explanation, one.cites) == (FLAGGED, [[1]])
    assert one.debate is not None
    assert (one.debate.accepted, one.debate.kept_back) == (False, why)


@pytest.mark.parametrize(
    ("revision", "why"),
    [
        ("...", "it says nothing"),
        ("[1]", "it says nothing"),
        ("I cannot do that.", "it no longer states the verdict"),
        ("Eels swim in rivers.", "it no longer states the verdict"),
        ("Frogs sing; so the claim is refuted.", "it is another text"),
    ],
)
def test_what_is_no_revision_is_kept_back(world: Path, revision: str, why: str) -> None:
    assert run([line(FLAGGED)], agreed(revision)) == 0
    (one,) = found()
    assert one.explanation == FLAGGED
    assert one.debate is not None
    assert (one.debate.accepted, one.debate.kept_back) == (False, why)


def test_a_long_draft_has_room_for_its_revision(world: Path) -> None:
    long = " ".join(["Eels swim in rivers."] * 30)
    assert run([line(f"{long} {FLAGGED}")], agreed(f"{long} {PLAIN}")) == 0
    assert found()[0].explanation == f"{long} {PLAIN}"


def test_what_nothing_flags_is_debated_only_always(world: Path) -> None:
    assert run([line(PLAIN)], []) == 0
    assert found()[0].debate is None
    nothing = [("debater_1", remarks()), ("debater_2", remarks())]
    assert run([line(f"  {PLAIN}\n")], nothing, "--policy", "always", "--overwrite") == 0
    (one,) = found()
    assert one.explanation == f"  {PLAIN}\n"
    assert one.debate is not None
    assert (one.debate.stop, one.debate.calls) == ("empty", 2)


def test_without_an_explanation_a_draft_comes_first(world: Path) -> None:
    script = [("explanation_zero_shot", FLAGGED), *agreed(PLAIN)]
    assert run([line(None)], script) == 0
    (one,) = found()
    assert one.explanation == PLAIN
    assert one.debate is not None
    assert one.debate.draft == FLAGGED


def test_an_agent_that_fails_leaves_its_claim_among_the_failures(
    world: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([line(FLAGGED), line(PLAIN, 1)], [("debater_1", "?"), ("debater_1", "?")]) == 1
    first, second = found()
    assert (first.explanation, second.explanation) == (FLAGGED, PLAIN)
    assert first.debate is not None
    assert first.debate.stop == "agent-failed"
    assert "an agent did not answer" in Path("d.failures.jsonl").read_text()


def test_each_agent_may_have_its_own_model(world: Path) -> None:
    Path("j.jsonl").write_text(json.dumps({"role": "judge", "output": "False"}) + "\n")
    assert run([line(FLAGGED)], agreed(PLAIN), "--judge", "scripted:j.jsonl", "--max_rounds", "0") == 0
    (one,) = found()
    assert one.debate is not None
    assert one.debate.stop == "cap"
    assert "j.jsonl" in json.dumps(json.loads(Path("d.manifest.json").read_text())["model"])
