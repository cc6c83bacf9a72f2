"""The scores of checked claims, worked out by hand, and a run that goes on where it was killed."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bench.check import __main__ as bench
from bench.check.baselines import entailment_alone
from bench.check.measures import row_of
from bench.check.records import Answered
from src.check import Asked, CheckedClaim, Road
from src.check.records import Decisive
from src.errors import StoreError
from src.explanation.records import ExplainedClaim
from src.records import VERDICTS, Answer, Claim, Level, Prediction, QAPair, Question, Side, Verdict
from src.stance.records import Stance

SUPPORTED, REFUTED, NOT_ENOUGH, CONFLICTING = VERDICTS
PAIR = QAPair("Do eels swim?", "They swim.", "https://a.example/")
CLAIMS = [
    Claim(f"Eel {number} swims.", number, label=label, questions=[Question("Do eels swim?", [Answer("They swim.")])])
    for number, label in enumerate([SUPPORTED, SUPPORTED, REFUTED, NOT_ENOUGH, CONFLICTING])
]


def answered(
    number: int, verdict: Verdict, level: Level, verdicts: Sequence[Verdict], holds: bool | None = None
) -> Answered:
    label = CLAIMS[number].label
    assert label is not None
    return Answered(number, label, verdict, level, tuple(verdicts), holds, 2.0 * number)


def test_the_row_of_five_claims() -> None:
    found = [
        answered(0, SUPPORTED, Level.FIRM, [SUPPORTED], True),
        answered(1, REFUTED, Level.FIRM, [REFUTED], False),
        answered(2, REFUTED, Level.LEANING, [REFUTED, SUPPORTED]),
        answered(3, SUPPORTED, Level.UNDECIDED, VERDICTS),
        answered(4, SUPPORTED, Level.UNDECIDED, [SUPPORTED, REFUTED]),
    ]
    row = row_of("check", CLAIMS, found, [[PAIR]] * 5)
    assert row.accuracy == 0.4
    assert row.macro_f1 == round((0.4 + 2 / 3 + 0 + 0) / 4, 4)  # Supported: 1 of 3 said, 1 of 2 found; Refuted: 1 of 2
    assert row.precision == {Level.FIRM: 0.5, Level.LEANING: 1.0, Level.UNDECIDED: 0.0}
    assert row.share == {Level.FIRM: 0.4, Level.LEANING: 0.2, Level.UNDECIDED: 0.4}
    assert row.firm_and_wrong == 1
    assert row.coverage == 0.6
    assert row.coverage_of == {SUPPORTED: 0.5, REFUTED: 1.0, NOT_ENOUGH: 1.0, CONFLICTING: 0.0}
    assert row.set_size == 2.0
    assert row.reasons == 0.5
    assert row.question_answer is not None
    assert row.question_answer > 0.9
    assert row.averitec == 0.4
    assert row.seconds == 5.0


def test_what_the_stances_alone_say() -> None:
    neither, repeats = Stance(Side.NEITHER, 0.1, 0.1), Stance(Side.REPEATS, 0.9, 0.0)
    against, supports = Stance(Side.AGAINST, 0.0, 0.9), Stance(Side.FOR, 0.9, 0.0)
    assert entailment_alone([neither, repeats]) is NOT_ENOUGH
    assert entailment_alone([neither, against]) is REFUTED
    assert entailment_alone([repeats, supports]) is SUPPORTED
    assert entailment_alone([supports, against]) is CONFLICTING


def checked(asked: Asked, label: Verdict) -> CheckedClaim:
    claim = Claim(asked.claim, 0)
    return CheckedClaim(
        claim,
        Road.QUESTIONS,
        datetime(2026, 1, 1, tzinfo=UTC),
        Prediction(0, asked.claim, [PAIR], label, level=Level.FIRM, verdict_set=[label]),
        ExplainedClaim(0, asked.claim, label, [PAIR], explanation="They swim; this does not settle the claim."),
        Decisive(),
    )


def test_a_run_that_a_claim_ends_goes_on_with_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    is_broken = True

    def check(asked: Asked, **_: Any) -> CheckedClaim:
        seen.append(asked.claim)
        if is_broken and len(seen) == 3:
            raise StoreError("no page could be read")
        return checked(asked, SUPPORTED)

    monkeypatch.setattr(bench, "check_claim", check)
    models = SimpleNamespace(verdict=SimpleNamespace(info=SimpleNamespace(sha256="1")))
    monkeypatch.setattr(bench, "models_from", lambda _: models)
    monkeypatch.setattr(bench, "_baselines", lambda _: [])
    out = tmp_path / "found.json"
    flags = ["--set", "everyday", "--claims", "0-4", "--roads", "questions", "--json", str(out)]
    assert bench.main(flags) == 2
    part = tmp_path / "found.part.jsonl"
    assert part.read_bytes().count(b"\n") == 2
    part.write_bytes(part.read_bytes() + b'{"torn')
    is_broken = False
    assert bench.main(flags) == 0
    assert len(seen) == 5  # two before, one that failed, and the two that were left
    assert not part.exists()
    result = json.loads(out.read_text())
    assert [one["claim_id"] for one in result["answered"]["questions"]] == [0, 1, 2, 3]
    assert [row["system"] for row in result["rows"]] == ["entailment alone", "check, questions"]
