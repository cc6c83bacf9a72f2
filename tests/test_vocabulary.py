"""Texts as numbers: the words come back as they were, and are numbered by their first appearance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src import vocabulary
from src.vocabulary import NumberedWords, numbered


def texts_of(found: NumberedWords) -> list[list[str]]:
    """The words of each text again."""
    words, numbers = list(found.vocabulary), iter(found.numbers.tolist())
    return [[words[next(numbers)] for _ in range(length)] for length in found.lengths.tolist()]


def halves(chunk: str) -> tuple[str, ...]:
    """None, one or two words of a chunk."""
    return () if chunk == "-" else tuple(filter(None, chunk.partition("-")))


texts = st.lists(st.text("ab-1 \n\u2003", max_size=9), max_size=20)


@given(texts)
def test_words_of_chunks(texts: list[str]) -> None:
    found = numbered(texts, halves)
    expected = [[word for chunk in text.split() for word in halves(chunk)] for text in texts]
    assert texts_of(found) == expected
    assert list(found.vocabulary) == list(dict.fromkeys(word for words in expected for word in words))
    assert list(found.vocabulary.values()) == list(range(len(found.vocabulary)))
    assert found.numbers.dtype == found.lengths.dtype == "int32"


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b-c", "", "c", "b a d-a", "-"]
    whole = numbered(texts, halves)
    monkeypatch.setattr(vocabulary, "BLOCK", 2)
    parts = numbered(iter(texts), halves)
    assert texts_of(parts) == texts_of(whole)
    assert parts.vocabulary == whole.vocabulary


def test_a_chunk_is_cut_once() -> None:
    asked = []

    def cut(chunk: str) -> list[str]:
        asked.append(chunk)
        return [chunk]

    numbered(["a b a", "b a"], cut)
    assert asked == ["a", "b"]
