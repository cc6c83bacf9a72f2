"""Scenarios as files: what is read, what is refused, and those that the project brings."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest

from src.errors import InputError
from src.store import encode_lines, read_claims
from src.text import same
from src.training.passages.scenarios import HELD_OUT, is_held_out, read_scenarios
from tests.training.small_scenarios import TOWNS, scenario, write_scenarios

SHIPPED = Path("data_store/scenarios")


def test_all_files_of_the_folder_are_read(tmp_path: Path) -> None:
    found = read_scenarios(write_scenarios(tmp_path))
    assert [one.claim for one in found] == [f"The shop in {town} has closed." for town in TOWNS]


def test_a_folder_without_scenarios_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no scenarios"):
        read_scenarios(tmp_path)


def test_a_key_that_is_not_on_its_page_is_refused_with_its_line(tmp_path: Path) -> None:
    one = scenario("Oster")
    lost = msgspec.structs.replace(one.refutes[1], key="It snowed.")
    wrong = msgspec.structs.replace(one, refutes=[one.refutes[0], lost])
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([scenario("Brell"), wrong]))
    with pytest.raises(InputError, match=r"not a part of the page's text") as caught:
        read_scenarios(tmp_path)
    assert (caught.value.line, caught.value.field) == (2, "refutes[1].key")


def test_a_scenario_with_one_page_for_a_side_is_refused(tmp_path: Path) -> None:
    one = scenario("Oster")
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([msgspec.structs.replace(one, supports=one.supports[:1])]))
    with pytest.raises(InputError, match="1 pages; at least 2 are needed"):
        read_scenarios(tmp_path)


def test_a_misspelled_field_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shops.jsonl").write_bytes(encode_lines([scenario("Oster")]).replace(b'"silent"', b'"quiet"'))
    with pytest.raises(InputError):
        read_scenarios(tmp_path)


def test_shipped_scenarios_are_many_distinct_and_partly_held_out() -> None:
    found = read_scenarios(SHIPPED)
    assert len(found) == 900
    assert max(Counter(one.id for one in found).values()) == 1
    assert max(Counter(same(one.claim) for one in found).values()) == 1
    assert abs(sum(map(is_held_out, found)) / len(found) - HELD_OUT) < 0.05


def test_no_shipped_scenario_has_a_claim_that_verdicts_are_measured_on() -> None:
    measured = [
        *read_claims(Path("data_store/everyday/claims.json")),
        *read_claims(Path("data_store/sample/claims.json")),
    ]
    words = [set(same(one.claim).split()) for one in measured]
    for one in read_scenarios(SHIPPED):
        own = set(same(one.claim).split())
        assert all(len(own & other) / len(own | other) < 0.5 for other in words), one.id
