"""The inference pack: which rows may be learned from, and the examples that are made of them."""

from collections import Counter
from pathlib import Path

import pytest

from src.errors import InputError
from src.training.entailment.examples import NEUTRAL
from src.training.entailment.pack import (
    SETS,
    WINDOW,
    PackRow,
    held_out_examples,
    is_held_out,
    learnable,
    pack_examples,
    read_set,
    reporting_rows,
    window,
)
from tests.training.small_pack import write_pack


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_pack(tmp_path_factory.mktemp("pack"))


def row(claim: str = "Eels swim.", *evidence: str, rationale: list[object] | None = None) -> PackRow:
    return PackRow("x", claim, evidence, "train", nli="entailment", rationale=rationale)


def test_rows_for_reporting_are_never_learned_from(pack: Path) -> None:
    rows = read_set(pack, "fm2")
    learned, reported = learnable(rows), reporting_rows(rows)
    assert {one.split for one in learned} == {"train"}
    assert not any(one.in_test_of for one in learned)
    assert {one.split for one in reported} == {"test"}
    assert len(learned) + len(reported) == 89


def test_no_text_of_a_test_row_is_in_an_example(pack: Path) -> None:
    reported = {one.claim for name in SETS for one in reporting_rows(read_set(pack, name))}
    texts = {example.text[0] for example in [*pack_examples(pack, 1.0, 0), *held_out_examples(pack)]}
    assert not reported & texts


def test_held_out_claims_are_not_learned(pack: Path) -> None:
    held_out = {example.text[0] for example in held_out_examples(pack)}
    learned = {example.text[0] for example in pack_examples(pack, 1.0, 0)}
    assert held_out
    assert not held_out & learned
    assert all(is_held_out(row(str(claim))) for claim in held_out)


def test_kinds_and_labels(pack: Path) -> None:
    examples = pack_examples(pack, 1.0, 0)
    assert {"plain", "other", "noisy"} <= {example.kind for example in examples}
    assert all(example.label == NEUTRAL for example in examples if example.kind in ("other", "restated"))
    noisy = [example for example in examples if example.kind == "noisy"]
    assert all(2 <= len(example.text[1]) <= 3 for example in noisy)
    shares = Counter(example.label for example in examples)
    assert min(shares.values()) > 0.2 * len(examples)


def test_a_window_keeps_what_decides_in_its_order() -> None:
    filler = [f"{'word ' * 30}{number}." for number in range(6)]
    long = row("Eels swim.", *filler[:3], "Eels do swim.", *filler[3:], rationale=["Eels do swim."])
    text = window(long)
    assert "Eels do swim." in text
    assert len(text.split()) <= WINDOW + 35
    assert window(row("Eels swim.", "One.", "Two.")) == "One. Two."


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such set in the pack"):
        read_set(tmp_path, "mnli")
