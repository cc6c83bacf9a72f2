"""`bench.entailment_thresholds`: each pair is scored once for all settings; the best setting is shown first."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.entailment_thresholds import MARGINS, THRESHOLDS, Part, Remembering, as_wholes, main, scored, show
from src.models.entailment import Entailed, Premise
from src.programs.records import ClaimPrograms
from src.programs.whole_claim import fallback
from src.records import Sentence


class Sure:
    """Says .55 of what names Lund, .25 of all else; counts what it reads."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        self.read += [one.hypothesis for one in premises]
        return [
            Entailed(0.55, 0.1, 0.35) if "Lund" in one.hypothesis else Entailed(0.25, 0.1, 0.65) for one in premises
        ]


def test_the_settings_that_tell_true_from_false_stand_first(capsys: pytest.CaptureFixture[str]) -> None:
    model = Sure()
    claims = [ClaimPrograms(n, text, [fallback(text)]) for n, text in enumerate(["Lund is old.", "Ystad is new."])]
    passages = {claim.claim_id: [Sentence("It is so.", "A page")] for claim in claims}
    part = Part("Towns", claims, passages, {0: "supports", 1: "refutes"})
    scores = scored(part, Remembering(model))  # type: ignore[arg-type]
    show("Towns, 2 claims", scores)
    head, *rows = [line for line in capsys.readouterr().out.splitlines() if line]
    assert head == "Towns, 2 claims: macro-F1, threshold, margin, passages alone too"
    rows_found = [tuple(map(float, row.split()[:3])) for row in rows]
    best = {(one.threshold, one.margin) for one, score in scores.items() if score == 1}
    assert best == {
        (at, margin) for at in THRESHOLDS for margin in MARGINS if 0.25 < at <= 0.55 or (at <= 0.25 and margin == 0.2)
    }
    assert all(score == 100 and (at, margin) in best for score, at, margin in rows_found[:-1])
    assert rows_found[-1][0] == 33.33
    assert sorted(model.read) == ["Lund is old.", "Ystad is new."], (
        f"once for {len(THRESHOLDS) * len(MARGINS)} settings"
    )


def test_claims_as_wholes_are_one_step() -> None:
    claim = ClaimPrograms(1, "Lund is old.", ['fact_1 = Verify("Lund is.")\nlabel = Predict(fact_1)'])
    (alone,) = as_wholes(Part("Towns", [claim], {}, {})).claims
    assert alone.programs == [fallback("Lund is old.")]


def test_a_model_that_is_not_there_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--entailment", str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.startswith(f"error: {tmp_path / 'none'}")
