"""A run scored once for all pages."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from src.evaluation import averitec, floors
from src.evaluation.scoreboard import evaluate
from src.report import scores as module
from src.report.run import Run, RunFolder, read_run
from src.report.scores import golds_of, guess_of, scored
from src.store import read_claims
from tests.report.runs import claim, prediction, twelve


def run_of(tmp: Path) -> Run:
    folder, labels = twelve(tmp)
    return read_run(RunFolder(folder), "run", read_claims(labels))


def test_the_board_is_that_of_the_evaluation_step(tmp_path: Path) -> None:
    run = run_of(tmp_path)
    golds = golds_of(run.claims.values())
    found = scored(run, golds)
    assert found is not None
    assert found.board == evaluate(
        [golds[one.claim_id] for one in run.predictions], [guess_of(one) for one in run.predictions]
    )
    assert list(found.claims) == [one.claim_id for one in run.predictions]


def test_each_claim_is_scored_once_and_once_more_as_its_floor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(gold: averitec.Gold, guess: averitec.Guess) -> averitec.ClaimScore:
        asked.append(gold.claim_id)
        return averitec.score(gold, guess)

    monkeypatch.setattr(module, "score", counted)
    monkeypatch.setattr(floors, "score", counted)
    run = run_of(tmp_path)
    scored(run, golds_of(run.claims.values()))
    assert sorted(asked) == sorted([*range(12), *range(12)])


def without(run: Sequence[int]) -> Run:
    return Run("run", Path(), [prediction(one) for one in run], {0: claim(0), 1: claim(1, None)})


def test_a_claim_without_a_label_leaves_nothing_to_score() -> None:
    run = without([0, 1])
    assert scored(run, golds_of(run.claims.values())) is None
    assert scored(without([0]), golds_of(run.claims.values())) is not None
