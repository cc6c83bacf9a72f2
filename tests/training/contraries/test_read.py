"""Contrary claims as files: what is read, and what is refused."""

from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.store import encode_lines
from src.training.contraries.read import is_held_out, read_contraries
from tests.training.small_contraries import contraries, write_contraries
from tests.training.small_scenarios import TOWNS


def test_all_files_of_the_folder_are_read(tmp_path: Path) -> None:
    found = read_contraries(write_contraries(tmp_path))
    assert [one.claim for one in found] == [f"The shop in {town} has closed." for town in TOWNS]
    assert 0 < sum(map(is_held_out, found)) < len(found)


def test_a_folder_without_contrary_claims_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no contrary claims"):
        read_contraries(tmp_path)


@pytest.mark.parametrize("field", ["claim", "open_page"])
def test_an_empty_text_is_refused_with_its_line(tmp_path: Path, field: str) -> None:
    empty = msgspec.structs.replace(contraries("Oster"), **{field: " "})
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([contraries("Brell"), empty]))
    with pytest.raises(InputError, match="is empty") as caught:
        read_contraries(tmp_path)
    assert (caught.value.line, caught.value.field) == (2, field)


def test_a_page_that_stands_twice_is_refused(tmp_path: Path) -> None:
    one = contraries("Oster")
    twice = msgspec.structs.replace(one, open_page=one.claim_page)
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([twice]))
    with pytest.raises(InputError, match="stands twice"):
        read_contraries(tmp_path)
