"""Postings say which texts hold a word and how often, however many blocks they were built in."""

from collections import Counter
from unittest.mock import patch

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from src.reranking.postings import Postings
from src.vocabulary import numbered

TEXTS = st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join), max_size=12)


@given(texts=TEXTS, block=st.integers(1, 20))
def test_every_word_of_every_text_is_found(texts: list[str], block: int) -> None:
    words = numbered(texts, lambda chunk: [chunk])
    with patch("src.reranking.postings.BLOCK", block):
        postings = Postings.of(words)
    counts = [Counter(text.split()) for text in texts]
    for word, number in words.vocabulary.items():
        expected = [(place, of_text[word]) for place, of_text in enumerate(counts) if of_text[word]]
        assert list(zip(*map(np.ndarray.tolist, postings.of_word(number)), strict=True)) == expected
        assert postings.holders()[number] == len(expected)


def test_arrays_have_the_smallest_integer_type() -> None:
    postings = Postings.of(numbered(["a"] * 300 + ["b " * 300], lambda chunk: [chunk]))
    assert [array.itemsize for array in (postings.texts, postings.counts)] == [2, 2]
    assert postings.of_word(1)[1].tolist() == [300]
