"""How well a model reads, by hand-made answers."""

import gzip
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import msgspec
import pytest

from bench.entailment_sets import Case, Result, by_topic, everyday_cases, main, probed, scored
from src.llm.protocol import ModelInfo
from src.models.entailment import Entailed, Entailment, Premise
from src.records import Verdict
from src.training.entailment.pack import PackRow
from tests.training.small_pack import write_pack

FOUND = {"sure": (0.9, 0.05, 0.05), "half": (0.4, 0.3, 0.3), "wrong": (0.1, 0.6, 0.3), "no": (0.05, 0.9, 0.05)}


class Scripted:
    """Answers by the page's word: how far it entails the claim, contradicts it, neither."""

    info = ModelInfo("scripted", "scripted", "scripted")

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        return [Entailed(*FOUND[one.passages[0][1]]) for one in premises]


def test_probes_count_the_likelier_side_and_the_order() -> None:
    cases = [Case("Eels swim.", [page], is_true) for page, is_true in
             [("sure", True), ("wrong", True), ("half", False), ("no", False)]]  # fmt: skip
    score = probed(cast(Entailment, Scripted()), cases)
    assert (score.rows, score.labels, score.accuracy, score.majority) == (4, 2, 0.5, 0.5)
    assert score.auc == 0.75  # of four pairs of a true and a false claim one is in the wrong order


def test_the_everyday_probe_has_half_true_claims_and_pages_for_each() -> None:
    cases = everyday_cases()
    assert [sum(one.is_true is side for one in cases) for side in (True, False)] == [16, 16]
    assert all(one.pages for one in cases)


def row(claim: str, page: str, verdict: Verdict) -> PackRow:
    return PackRow("1", claim, (page,), "test", verdict)


def test_rows_are_scored_by_topic_over_all_sets() -> None:
    model = cast(Entailment, Scripted())
    rows = [
        row("Two eels swim.", "sure", Verdict.SUPPORTED),
        row("No eel swims.", "no", Verdict.REFUTED),
        row("Eels swam in 1990.", "no", Verdict.SUPPORTED),
        row("Eels swim.", "wrong", Verdict.REFUTED),
    ]
    score, read = scored(model, "healthver", rows)
    assert (score.accuracy, score.majority) == (0.75, 0.5)
    assert [one.is_right for one in read] == [True, True, False, True]
    scores = by_topic(read)
    assert {topic: (one.rows, one.accuracy) for topic, one in scores.items()} == {
        "numbers": (2, 0.5), "negation": (1, 1.0), "time": (1, 0.0), "health": (4, 0.75)
    }  # fmt: skip
    assert by_topic([one._replace(name="fm2") for one in read if one.row is rows[3]]) == {}


def test_a_folder_without_sets_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("bench.entailment_sets.load_entailment", lambda _: Scripted())
    for name in ("everyday_cases", "scenario_cases", "contraries_cases"):
        cases = [Case("Eels swim.", [page], page == "sure") for page in ("sure", "no")]
        monkeypatch.setattr(f"bench.entailment_sets.{name}", lambda *_, cases=cases: cases)
    assert main(["--pack", str(tmp_path)]) == 2
    assert "has no sets" in capsys.readouterr().err


def test_a_probe_needs_no_sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.entailment_sets.load_entailment", lambda _: Scripted())
    cases = [Case("Eels swim.", [page], page == "sure") for page in ("sure", "no")]
    monkeypatch.setattr("bench.entailment_sets.everyday_cases", lambda: cases)
    assert main(["--pack", str(tmp_path), "--only", "everyday"]) == 0


def test_some_probes_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("bench.entailment_sets.load_entailment", lambda _: Scripted())
    cases = [Case("Eels swim.", [page], page == "sure") for page in ("sure", "no")]
    monkeypatch.setattr("bench.entailment_sets.everyday_cases", lambda: cases)
    (write_pack(tmp_path / "pack") / "nothing.jsonl.gz").write_bytes(gzip.compress(b""))
    pack = ["--pack", str(tmp_path / "pack"), "--json", str(tmp_path / "scores.json")]
    assert main([*pack, "--only", "everyday"]) == 0
    result = msgspec.json.decode((tmp_path / "scores.json").read_bytes(), type=Result)
    assert (list(result.probes), result.sets, result.mean) == (["everyday"], {}, None)
    assert result.probes["everyday"].accuracy == 1
    assert main([*pack, "--only", "everyday,nothing"]) == 2
    assert "nothing.jsonl.gz: has no test rows of two labels" in capsys.readouterr().err
    monkeypatch.setattr("bench.entailment_sets.load_entailment", lambda _: pytest.fail("was loaded"))
    assert main([*pack, "--only", "everyday,fm3"]) == 2
    assert "--only fm3: no such probe or set; there are everyday, scenarios, contraries, " in capsys.readouterr().err
