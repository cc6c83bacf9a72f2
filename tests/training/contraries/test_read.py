"""Contrary claims as files: what is read, and what is refused."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.store import encode_lines, read_claims
from src.text import same
from src.training.passages.contraries import HELD_OUT, is_held_out, read_contraries
from tests.training.small_contraries import contraries, write_contraries
from tests.training.small_scenarios import TOWNS

SHIPPED = Path("data_store/contraries")


def test_all_files_of_the_folder_are_read(tmp_path: Path) -> None:
    found = read_contraries(write_contraries(tmp_path))
    assert [one.claim for one in found] == [f"The shop in {town} has closed." for town in TOWNS]
    assert 0 < sum(map(is_held_out, found)) < len(found)


def test_a_folder_without_contrary_claims_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no contraries"):
        read_contraries(tmp_path)


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
    found = read_contraries(SHIPPED)
    assert len(found) == 4163
    claims = Counter(same(claim) for one in found for claim in (one.claim, one.contrary))
    assert max(claims.values()) == 1
    assert abs(sum(map(is_held_out, found)) / len(found) - HELD_OUT) < 0.02


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
