"""Contrary claims with passages: which page gives which label."""

from collections import Counter
from pathlib import Path

from src.records import VERDICTS, Verdict
from src.stance.records import SIDE_OF
from src.training.passages.contraries import contrary_claims, contrary_passages, is_held_out, read_contraries
from tests.training.small_contraries import contraries, write_contraries

SHIPPED = Path("data_store/contraries")


def test_a_page_supports_one_claim_and_refutes_the_other(tmp_path: Path) -> None:
    folder = write_contraries(tmp_path)
    found = {
        (one.claim, one.passages[0].text): one.label
        for held_out in (True, False)
        for one in contrary_passages(folder, held_out=held_out)
    }
    own = contraries("Oster")
    assert [found[own.claim, page] for page in own.pages] == list(VERDICTS)
    turned = {own.claim_page: Verdict.REFUTED, own.contrary_page: Verdict.SUPPORTED}
    assert {page: label for (claim, page), label in found.items() if claim == own.contrary} == turned


def test_held_out_pairs_are_not_trained_on(tmp_path: Path) -> None:
    folder = write_contraries(tmp_path)
    held_out = {one.claim for one in read_contraries(folder) if is_held_out(one)}
    assert {one.claim for one in contrary_passages(folder)} & {one.claim for one in read_contraries(folder)} == held_out
    trained = [*contrary_passages(folder, held_out=False), *contrary_claims(folder, 0, held_out=False)]
    assert not held_out & {one.claim for one in trained}


def test_a_page_stands_among_pages_of_other_pairs_and_keeps_its_label(tmp_path: Path) -> None:
    folder = write_contraries(tmp_path)
    alone = {(one.claim, one.passages[0].text): one.label for one in contrary_passages(folder, held_out=False)}
    found = contrary_claims(folder, 0, held_out=False)
    assert max(Counter(one.label for one in found).values()) <= len(found) / len(VERDICTS) + 1
    for one in found:
        own = [alone[one.claim, passage.text] for passage in one.passages if (one.claim, passage.text) in alone]
        is_alone = one.label in SIDE_OF or one.claim.endswith("has closed.")  # not: a contrary with the other pages
        assert own == [one.label] * is_alone


def test_shipped_pages_stand_among_others() -> None:
    found = contrary_claims(SHIPPED, 0)
    assert sum(len(one.passages) > 1 for one in found) > 0.95 * len(found)
