"""Rows of the pack in pairs: as they are, and with one place changed."""

from itertools import pairwise
from pathlib import Path

import pytest

from src.training.entailment.contrast_pairs import CONTRASTED, contrast_pairs, held_out_pairs
from src.training.entailment.examples import CONTRADICTED, ENTAILED, NEUTRAL, EntailmentExample
from src.training.entailment.pack import HELD_OUT, SETS
from src.training.split import number_of
from tests.training.small_pack import rows_of, write_pack, write_set


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """In two sets the claims name what their evidence names; the others are as everywhere."""
    folder = write_pack(tmp_path_factory.mktemp("pack"))
    rows = rows_of("fever_dev", 240)
    for number, row in enumerate(rows):
        town = ("Berlin", "Oslo", "Madrid", "Vienna")[number % 4]
        row["claim"] = f"The bridge number {number} was built in {town} in {1900 + number % 90}."
        row["evidence"] = [f"It was built in {town} in {1900 + number % 90}.", "Trams cross it every day."]
    write_set(folder, "fever_dev", rows)
    other = rows_of("fm2", 240)
    for number, row in enumerate(other):
        town = ("Berlin", "Oslo", "Madrid", "Vienna")[number % 4]
        row["claim"] = f"{town} has larger ferries than number {number}."
        row["evidence"] = [f"The ferries of {town} are larger.", "Trams cross it every day."]
    write_set(folder, "fm2", other)
    return folder


@pytest.fixture(scope="module")
def pairs(pack: Path) -> list[EntailmentExample]:
    return contrast_pairs(pack, 1.0, 0)


def text(one: EntailmentExample) -> tuple[str, str]:
    assert not isinstance(one.text, str)
    return one.text[0], one.text[1][0][1]


def test_every_kind_has_its_label(pairs: list[EntailmentExample]) -> None:
    labels = {kind: {one.label for one in pairs if one.kind == kind} for kind in {one.kind for one in pairs}}
    assert labels["swapped"] == {CONTRADICTED}
    assert labels["cut"] == {NEUTRAL}
    assert labels["elsewhere"] == {NEUTRAL}
    assert labels["opposite"] == {CONTRADICTED}
    assert labels["negated"] == {ENTAILED, CONTRADICTED, NEUTRAL}
    assert labels["unchanged"] == {ENTAILED, CONTRADICTED, NEUTRAL}


def test_a_swapped_pair_differs_on_one_side_alone(pairs: list[EntailmentExample]) -> None:
    swaps = 0
    for before, after in pairwise(pairs):
        if after.kind == "swapped":
            assert (before.kind, before.label) == ("unchanged", ENTAILED)
            assert sum(own != other for own, other in zip(text(before), text(after), strict=True)) == 1
            swaps += 1
    assert swaps


def test_what_is_cut_names_no_more_what_was_swapped(pairs: list[EntailmentExample]) -> None:
    cut = [text(one)[1] for one in pairs if one.kind == "cut"]
    assert cut
    assert set(cut) == {"Trams cross it every day."}


def test_the_same_seed_gives_the_same_pairs(pack: Path, pairs: list[EntailmentExample]) -> None:
    assert contrast_pairs(pack, 1.0, 0) == pairs
    assert len(contrast_pairs(pack, 0.01, 0)) < len(pairs)


def test_held_out_claims_are_scored_and_not_learned(pack: Path, pairs: list[EntailmentExample]) -> None:
    held_out = [text(one)[0] for one in held_out_pairs(pack) if one.kind == "unchanged"]
    learned = [text(one)[0] for one in pairs if one.kind == "unchanged"]
    assert held_out
    assert all(number_of("pack", claim) < HELD_OUT for claim in held_out)
    assert not any(number_of("pack", claim) < HELD_OUT for claim in learned)


def test_only_sets_with_a_license_are_contrasted() -> None:
    assert set(CONTRASTED) <= set(SETS)
