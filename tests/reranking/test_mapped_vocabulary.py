"""A kept vocabulary answers as the dictionary that it was made of."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from src.reranking.mapped_vocabulary import MappedVocabulary

words = st.text(st.characters(codec=None), max_size=4)


@given(st.lists(words, unique=True, max_size=30), st.lists(words, max_size=5))
@example([], ["a"])
@example([""], ["", "a"])
@example(["b", "a", "ab", "\ud800", "\U0001f600", "\x00", "a\x00"], ["c", "A"])
def test_as_the_dictionary(known: list[str], others: list[str]) -> None:
    expected = {word: number for number, word in enumerate(known)}
    restored = MappedVocabulary.of(MappedVocabulary.arrays(expected))
    assert list(restored.items()) == list(expected.items())
    for word in others:
        assert restored.get(word) == expected.get(word)


def test_an_array_that_is_missing() -> None:
    with pytest.raises(KeyError):
        MappedVocabulary.of({})
