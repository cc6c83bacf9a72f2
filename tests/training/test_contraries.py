"""Written contrary claims: what is read and refused, and which page gives which label."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.records import VERDICTS, Verdict
from src.stance.records import SIDE_OF
from src.store import encode_lines, read_claims
from src.text import same
from src.training.passages.contraries import HELD_OUT, contrary_claims, contrary_passages, is_held_out, read_contraries
from tests.training.small_contraries import contraries, write_contraries

SHIPPED = Path("data_store/contraries")


@pytest.mark.parametrize("field", ["claim", "open_page"])
def test_an_empty_text_is_refused_with_its_line(tmp_path: Path, field: str) -> None:
    empty = msgspec.structs.replace(contraries("Oster"), **{field: " "})
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([contraries("Brell"), empty]))
    with pytest.raises(InputError, match="is empty") as caught:
        read_contraries(tmp_path)
    assert (caught.value.line, caught.value.field) == (2, field)


def test_two_pages_of_the_same_text_are_refused(tmp_path: Path) -> None:
    one = contraries("Oster")
    twice = msgspec.structs.replace(one, open_page=one.claim_page)
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([twice]))
    with pytest.raises(InputError, match="two pages have the same text"):
        read_contraries(tmp_path)


def test_shipped_claims_are_many_distinct_and_partly_held_out() -> None:
    pairs = read_contraries(SHIPPED)
    assert len(pairs) == 4163
    claims = Counter(same(claim) for one in pairs for claim in (one.claim, one.contrary))
    assert max(claims.values()) == 1
    assert abs(sum(map(is_held_out, pairs)) / len(pairs) - HELD_OUT) < 0.02


def test_no_shipped_pair_has_a_claim_that_verdicts_are_measured_on() -> None:
    measured = [
        *read_claims(Path("data_store/everyday/claims.json")),
        *read_claims(Path("data_store/sample/claims.json")),
    ]
    words = [set(same(one.claim).split()) for one in measured]
    for one in read_contraries(SHIPPED):
        for claim in (one.claim, one.contrary):
            own = set(same(claim).split())
            assert all(len(own & other) / len(own | other) < 0.5 for other in words), claim


def test_a_page_supports_one_claim_and_refutes_the_other(tmp_path: Path) -> None:
    folder = write_contraries(tmp_path)
    labels = {
        (one.claim, one.passages[0].text): one.label
        for held_out in (True, False)
        for one in contrary_passages(folder, held_out=held_out)
    }
    own = contraries("Oster")
    assert [labels[own.claim, page] for page in own.pages] == list(VERDICTS)
    turned = {own.claim_page: Verdict.REFUTED, own.contrary_page: Verdict.SUPPORTED}
    assert {page: label for (claim, page), label in labels.items() if claim == own.contrary} == turned


def test_held_out_pairs_are_not_trained_on(tmp_path: Path) -> None:
    folder = write_contraries(tmp_path)
    held_out = {one.claim for one in read_contraries(folder) if is_held_out(one)}
    assert {one.claim for one in contrary_passages(folder)} & {one.claim for one in read_contraries(folder)} == held_out
    trained = [*contrary_passages(folder, held_out=False), *contrary_claims(folder, 0, held_out=False)]
    assert not held_out & {one.claim for one in trained}


def test_a_page_stands_among_pages_of_other_pairs_and_keeps_its_label(tmp_path: Path) -> None:
    folder = write_contraries(tmp_path)
    alone = {(one.claim, one.passages[0].text): one.label for one in contrary_passages(folder, held_out=False)}
    mixed = contrary_claims(folder, 0, held_out=False)
    assert max(Counter(one.label for one in mixed).values()) <= len(mixed) / len(VERDICTS) + 1
    for one in mixed:
        own = [alone[one.claim, passage.text] for passage in one.passages if (one.claim, passage.text) in alone]
        is_alone = one.label in SIDE_OF or one.claim.endswith("has closed.")  # not: a contrary with the other pages
        assert own == [one.label] * is_alone
