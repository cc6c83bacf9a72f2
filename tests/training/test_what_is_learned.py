"""No training sees held-out claims, claims of another split, or anything that belongs to them."""

import csv
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.models.evidence_rows import RowMaker
from src.records import Claim
from src.store import encode_list
from src.training import classifier, questions, ranking, train_question_generator, train_reranker, train_veracity
from src.training.questions import rows_of
from src.training.split import is_held_out
from tests.models.adapters import make_base
from tests.tiny_models import make_causal
from tests.training.small_claims import claims

SMALL = ["--steps", "1", "--batch", "4", "--rank", "2", "--alpha", "4", "--quiet"]
MARK = "zebra"
LEFT_OUT = [claim for claim in claims() if not is_held_out(claim.claim)][:4]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the texts of each call of the tokenizer; the first call has the training examples."""
    calls: list[str] = []

    class Recorder(RowMaker):
        def rows(self, inputs: Sequence[Any]) -> Any:
            calls.append(str(inputs))
            return super().rows(inputs)

    def recorded(examples: Sequence[Any], *more: Any) -> Any:
        calls.append(str(examples))
        return rows_of(examples, *more)

    for module in (ranking, classifier):
        monkeypatch.setattr(module, "RowMaker", Recorder)
    monkeypatch.setattr(questions, "rows_of", recorded)
    return calls


def _files(folder: Path) -> list[str]:
    """Write the claims; all texts of held-out and left-out claims have the mark."""
    apart = {claim.claim_id for claim in claims() if is_held_out(claim.claim)} | {one.claim_id for one in LEFT_OUT}
    marked = [_marked(claim) if claim.claim_id in apart else claim for claim in claims()]
    (folder / "train.json").write_bytes(encode_list(marked))
    (folder / "dev.json").write_bytes(encode_list(LEFT_OUT))
    with (folder / "retrieved.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["id", "claim", "evi"])
        for claim in claims():
            mark = MARK if claim.claim_id in apart else "horse"
            evidence = f"What of the {mark}?\t\t\nThe {mark} of {claim.claim_id} is seen in the town.\t\t\n\n"
            rows.writerow([claim.claim_id, claim.claim, evidence])
    names = {"--train": "train.json", "--leave_out": "dev.json", "--retrieved": "retrieved.csv", "-o": "made"}
    return [word for flag, name in names.items() for word in (flag, str(folder / name))]


def _marked(claim: Claim) -> Claim:
    questions = [
        msgspec.structs.replace(
            question,
            question=f"{question.question} {MARK}",
            answers=[msgspec.structs.replace(answer, answer=f"{answer.answer} {MARK}") for answer in question.answers],
        )
        for question in claim.questions
    ]
    return msgspec.structs.replace(claim, questions=questions)


@pytest.mark.parametrize(
    ("main", "flags"),
    [
        (train_question_generator.main, ["--scored", "5", "--asked", "2"]),
        (train_reranker.main, ["--candidates", "6", "--scored", "3", "--ranked", "4"]),
        (train_reranker.main, ["--negatives", "published", "--candidates", "6", "--scored", "3", "--ranked", "4"]),
        (train_veracity.main, ["--max_length", "96", "--mixtures", "2"]),
        (train_veracity.main, ["--max_length", "96", "--recipe", "published"]),
        (train_veracity.main, ["--max_length", "96", "--hide_evidence"]),
    ],
)
def test_nothing_of_claims_set_apart_is_learned(
    main: Callable[[Sequence[str]], int], flags: list[str], seen: list[str], tmp_path: Path
) -> None:
    causal = main is train_question_generator.main
    base = make_causal(tmp_path / "tiny") if causal else make_base(tmp_path / "bert", "bert")
    results = ["--results", str(tmp_path / "results.jsonl"), "--base", f"hf:{base}"]
    assert main([*_files(tmp_path), *results, *SMALL, *flags]) == 0
    learned, *scored = seen
    held_out = [claim.claim for claim in claims() if is_held_out(claim.claim)]
    assert MARK not in learned
    assert not [claim for claim in [*held_out, *(one.claim for one in LEFT_OUT)] if claim in learned]
    assert sum(claim.claim in learned for claim in claims()) > len(claims()) / 2
    assert any(held_out[0] in text for text in scored)
    assert not any(one.claim in text for text in scored for one in LEFT_OUT)
