"""The scores of checked claims, worked out by hand, and a run that goes on where it was killed."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from bench.check import __main__ as bench
from bench.check import part_file
from bench.check.answered import reason_holds
from bench.check.baselines import entailment_alone
from bench.check.measures import row_of
from bench.check.records import Answered, Counted
from bench.check.sets import SETS
from src.check import CheckedClaim, CheckRequest, Strategy
from src.check.records import Decisive, Sources
from src.errors import StoreError
from src.explanation.records import ExplainedClaim
from src.records import VERDICTS, Answer, Claim, Level, Prediction, QAPair, Question, Side, Verdict
from src.stance.records import Stance
from src.store import encode_list
from tests.stance.scripted import Scripted

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
    rows = [
        answered(0, SUPPORTED, Level.FIRM, [SUPPORTED], True),
        answered(1, REFUTED, Level.FIRM, [REFUTED], False),
        answered(2, REFUTED, Level.LEANING, [REFUTED, SUPPORTED]),
        answered(3, SUPPORTED, Level.UNDECIDED, VERDICTS),
        answered(4, SUPPORTED, Level.UNDECIDED, [SUPPORTED, REFUTED]),
    ]
    row = row_of("check", CLAIMS, rows, [[PAIR]] * 5)
    assert row.accuracy == 0.4
    assert row.macro_f1 == round((0.4 + 2 / 3 + 0 + 0) / 4, 4)  # Supported: 1 of 3 said, 1 of 2 found; Refuted: 1 of 2
    assert row.precision == {Level.FIRM: 0.5, Level.LEANING: 1.0, Level.UNDECIDED: 0.0}
    assert row.share == {Level.FIRM: 0.4, Level.LEANING: 0.2, Level.UNDECIDED: 0.4}
    assert row.firm_and_wrong == 1
    assert row.of_verdict[Level.FIRM] == {
        SUPPORTED: Counted(1, 1), REFUTED: Counted(0, 1), NOT_ENOUGH: Counted(0, 0), CONFLICTING: Counted(0, 0)
    }  # fmt: skip
    assert row.of_label == {
        SUPPORTED: Counted(1, 2), REFUTED: Counted(1, 1), NOT_ENOUGH: Counted(0, 1), CONFLICTING: Counted(0, 1)
    }  # fmt: skip
    assert row.coverage == 0.6
    assert row.coverage_of == {SUPPORTED: 0.5, REFUTED: 1.0, NOT_ENOUGH: 1.0, CONFLICTING: 0.0}
    assert row.set_size == 2.0
    assert row.reasons == 0.5
    assert row.question_answer is not None
    assert row.question_answer > 0.9
    assert row.averitec == 0.4
    assert row.baseline is not None
    assert row.over_baseline is not None
    above, (low, high) = row.over_baseline
    assert above == pytest.approx(row.question_answer - row.baseline[0], abs=1e-4)
    assert low == above == high  # every claim gains as much
    assert row.baseline[1] == 0.2  # one of five is Refuted
    assert row.seconds == 5.0


def test_what_the_stances_alone_say() -> None:
    neither, repeats = Stance(Side.NEITHER, 0.1, 0.1), Stance(Side.REPEATS, 0.9, 0.0)
    against, supports = Stance(Side.AGAINST, 0.0, 0.9), Stance(Side.FOR, 0.9, 0.0)
    assert entailment_alone([neither, repeats]) is NOT_ENOUGH
    assert entailment_alone([neither, against]) is REFUTED
    assert entailment_alone([repeats, supports]) is SUPPORTED
    assert entailment_alone([supports, against]) is CONFLICTING


def checked(request: CheckRequest, label: Verdict) -> CheckedClaim:
    claim = Claim(request.claim, 0)
    return CheckedClaim(
        claim,
        Strategy.QUESTIONS,
        datetime(2026, 1, 1, tzinfo=UTC),
        Prediction(0, request.claim, [PAIR], label, level=Level.FIRM, verdict_set=[label]),
        ExplainedClaim(0, request.claim, label, [PAIR], explanation="They swim; this does not settle the claim."),
        Decisive(),
    )


def test_a_run_that_a_claim_ends_goes_on_with_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []
    is_broken = True

    def check(request: CheckRequest, **_: Any) -> CheckedClaim:
        seen.append(request.claim)
        if is_broken and len(seen) == 3:
            raise StoreError("no page could be read")
        return checked(request, SUPPORTED)

    monkeypatch.setattr(bench, "check_claim", check)
    monkeypatch.setattr(bench, "Models", lambda _: None)
    monkeypatch.setattr(bench, "baselines", lambda _: [])
    out = tmp_path / "found.json"
    flags = ["--set", "everyday", "--claims", "0-4", "--strategies", "questions", "--json", str(out)]
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


@pytest.fixture
def small_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three claims in a file of their own; the second one ends a check."""
    path = tmp_path / "claims.json"
    path.write_bytes(encode_list(CLAIMS[:3]))
    monkeypatch.setitem(SETS, "sample", (path, tmp_path))
    monkeypatch.setattr(part_file, "PRETRAINED", tmp_path / "models")
    monkeypatch.setattr(bench, "Models", lambda _: None)
    monkeypatch.setattr(bench, "baselines", lambda _: [])

    def check(request: CheckRequest, **_: Any) -> CheckedClaim:
        if request.claim == CLAIMS[1].claim:
            raise StoreError("no page could be read")
        return checked(request, SUPPORTED)

    monkeypatch.setattr(bench, "check_claim", check)
    (tmp_path / "models" / "adapters" / "reader").mkdir(parents=True)
    (tmp_path / "models" / "adapters" / "reader" / "weights.safetensors").write_bytes(b"1")
    return tmp_path


def flags_of(folder: Path, *more: str) -> list[str]:
    return ["--strategies", "questions", "--json", str(folder / "found.json"), *more]


DISCARDED = "found.part.jsonl: 1 answer discarded, made with other flags, claims or models\n"


@pytest.mark.parametrize(
    "more",
    [
        ["--llm", "smollm2:transformers"],
        ["--recipe", "greedy"],
        ["--select", "likeness"],
        ["--select", "likeness", "--reranker", "none"],
        ["--samples", "0"],
        ["--verdict", "trained"],
    ],
)
def test_what_other_flags_left_is_discarded(
    more: list[str], small_set: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(flags_of(small_set)) == bench.main(flags_of(small_set)) == 2
    assert "discarded" not in capsys.readouterr().out
    assert bench.main(flags_of(small_set, *more)) == 2
    assert capsys.readouterr().out.startswith(f"{small_set}/{DISCARDED}")
    assert (small_set / "found.part.jsonl").read_bytes().count(b"\n") == 1


@pytest.mark.parametrize("changed", ["claims.json", "models/adapters/reader/weights.safetensors", "mine"])
def test_what_other_files_left_is_discarded(changed: str, small_set: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (small_set / "mine").write_bytes(b"1")
    flags = flags_of(small_set, "--verdict", str(small_set / "mine"))
    assert bench.main(flags) == 2
    (small_set / changed).write_bytes((small_set / changed).read_bytes() + b"\n")
    assert bench.main(flags) == 2
    assert DISCARDED in capsys.readouterr().out


def test_a_run_goes_on_with_another_range_and_other_strategies(
    small_set: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.main(flags_of(small_set, "--claims", "0-2")) == 2
    (small_set / "models" / "adapters" / "reader" / "README.md").write_text("for people")
    assert bench.main(["--json", str(small_set / "found.json"), "--claims", "0-3"]) == 2
    assert capsys.readouterr().out == "questions: 1 of 2: Supported -> Supported firm\n"


def test_a_reason_is_read_by_another_model_than_the_one_that_chose_it() -> None:
    request = CheckRequest("Eels swim to the sea.", Sources(urls=("https://a.example/",)))
    models = SimpleNamespace(entailment=Scripted())  # no reader: it is not asked

    def holds(explanation: str, label: Verdict = SUPPORTED) -> bool | None:
        one = checked(request, label)
        return reason_holds(msgspec.structs.replace(one, explained=replaced(one, explanation)), models)  # type: ignore[arg-type]

    assert holds("Yes, they do; so the claim is supported.") is True
    assert holds("No, they do not; so the claim is supported.") is False
    assert holds("No, they do not; so the claim is refuted.", REFUTED) is True
    assert holds("Yes, they do; as a small model reads it, this does not settle the claim.") is None


def replaced(one: CheckedClaim, explanation: str) -> ExplainedClaim:
    return msgspec.structs.replace(one.explained, explanation=explanation)
