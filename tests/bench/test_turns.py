"""`bench.turns`: medians of turns, kept by name."""

from pathlib import Path

import pytest

from bench.turns import rate, read_rows, speeds, write_rows
from src.errors import InputError


def test_the_ratio_is_that_of_the_medians() -> None:
    row = speeds("claims/s", [6.0, 3.00004, 900.0], [2.0, 1.0, 3.0], {"calls": 7})
    assert (row.ours, row.times) == ([6.0, 3.0, 900.0], 3.0)
    assert str(row).strip() == "6.000 claims/s, reference 2.000: 3.0 times, calls 7"


def test_rows_are_read_as_written_and_replaced_by_name(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    assert read_rows(path) == {}
    old, new = (speeds("x/s", [value], [1.0], {}) for value in (1.0, 2.0))
    write_rows(path, {"a": old, "b": old})
    write_rows(path, read_rows(path) | {"a": new})
    assert read_rows(path) == {"a": new, "b": old}


def test_another_layout_is_refused(tmp_path: Path) -> None:
    (tmp_path / "rows.json").write_text('{"a": {"unit": 3}}')
    with pytest.raises(InputError, match=r"rows\.json"):
        read_rows(tmp_path / "rows.json")


def test_a_rate_counts_what_is_done_once() -> None:
    done: list[int] = []
    assert rate(5, lambda: done.append(1)) > 0
    assert done == [1]
