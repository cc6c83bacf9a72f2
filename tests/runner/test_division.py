"""Division of claims into parts: in order, complete, balanced, and aligned to batches where parts are long enough."""

from itertools import pairwise

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from src.errors import InputError
from src.runner.division import Part, divide, read_part

IDS = st.lists(st.integers(0, 400), min_size=1, max_size=120, unique=True).map(sorted)


@given(IDS, st.data())
def test_parts_are_disjoint_and_have_all_claims_in_order(ids: list[int], data: st.DataObject) -> None:
    start = data.draw(st.integers(0, ids[-1]))
    end = data.draw(st.integers(start + 1, ids[-1] + 1))
    chosen = [one for one in ids if start <= one < end]
    assume(chosen)
    count = data.draw(st.integers(1, len(chosen)))
    bounds = divide(ids, start, end, count)
    assert (len(bounds), bounds[0], bounds[-1]) == (count + 1, start, end)
    parts = [[one for one in ids if low <= one < high] for low, high in pairwise(bounds)]
    assert all(parts)
    assert [one for part in parts for one in part] == chosen


@given(st.integers(0, 5000), st.integers(1, 5000), st.integers(1, 70))
def test_parts_are_balanced_and_cut_no_batch(start: int, size: int, count: int) -> None:
    assume(size >= count)
    bounds = divide(range(start + size), start, start + size, count)
    unit = next(
        unit for unit, shortest in ((200, 800), (40, 160), (10, 10), (1, 1)) if size >= shortest * count or unit == 1
    )
    assert all(bound % unit == 0 for bound in bounds[1:-1])
    assert all(abs((high - low) - size / count) <= unit for low, high in pairwise(bounds))


@pytest.mark.parametrize(
    ("size", "count", "bounds"),
    [
        (12, 3, (0, 4, 8, 12)),
        (500, 4, (0, 130, 250, 380, 500)),
        (500, 2, (0, 240, 500)),
        (2000, 2, (0, 1000, 2000)),
        (20, 2, (0, 10, 20)),
        (7, 1, (0, 7)),
    ],
)
def test_bounds(size: int, count: int, bounds: tuple[int, ...]) -> None:
    assert divide(range(size), 0, size, count) == bounds


def test_a_part_ends_behind_its_last_claim() -> None:
    assert divide([2, 3, 50, 60], 0, 90, 2) == (0, 4, 90)


def test_fewer_claims_than_parts_are_refused() -> None:
    with pytest.raises(InputError, match="--shard I/4: the claims 0 to 99 are only 3"):
        divide([5, 50, 70], 0, 100, 4)


@given(st.integers(0, 99), st.integers(1, 99))
def test_a_part_is_read_as_it_is_written(index: int, more: int) -> None:
    part = Part(index, index + more)
    assert read_part(str(part)) == part


@pytest.mark.parametrize("text", ["", "3", "3/", "/3", "3/3", "-1/3", "1/0", "a/b", "1/2/3", " 1/2", "1.0/2", "²/3"])
def test_other_texts_are_no_part(text: str) -> None:
    with pytest.raises(ValueError, match="is no I/N with I from 0 to N - 1, such as 0/8"):
        read_part(text)
