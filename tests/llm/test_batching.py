from hypothesis import given
from hypothesis import strategies as st

from src.llm.batching import sub_batches


@given(st.lists(st.integers(1, 60)), st.integers(1, 8), st.integers(1, 200))
def test_every_row_once_sorted_and_within_the_limits(lengths: list[int], rows: int, tokens: int) -> None:
    batches = sub_batches(lengths, rows, tokens)
    order = [index for batch in batches for index in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[index] for index in order] == sorted(lengths)
    for batch in batches:
        padded = len(batch) * max(lengths[index] for index in batch)
        assert len(batch) <= rows
        assert padded <= tokens or len(batch) == 1


def test_equal_lengths_keep_their_order() -> None:
    assert sub_batches([5, 5, 3, 5], 3, 100) == [[2, 0, 1], [3]]
