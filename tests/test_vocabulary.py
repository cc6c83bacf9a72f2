"""Token ids of texts: they map back to the words, and are numbered by first appearance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src import vocabulary
from src.vocabulary import NumberedWords, numbered


def texts_of(texts: NumberedWords) -> list[list[str]]:
    """Return the words of each text, from the token ids."""
    words, numbers = list(texts.vocabulary), iter(texts.numbers.tolist())
    return [[words[next(numbers)] for _ in range(length)] for length in texts.lengths.tolist()]


def halves(chunk: str) -> tuple[str, ...]:
    """Return the parts of a chunk before, at and after its first hyphen; () for a hyphen alone."""
    return () if chunk == "-" else tuple(filter(None, chunk.partition("-")))


texts = st.lists(st.text("ab-1 \n\u2003", max_size=9), max_size=20)


@given(texts)
def test_words_of_chunks(texts: list[str]) -> None:
    result = numbered(texts, halves)
    expected = [[word for chunk in text.split() for word in halves(chunk)] for text in texts]
    assert texts_of(result) == expected
    assert list(result.vocabulary) == list(dict.fromkeys(word for words in expected for word in words))
    assert list(result.vocabulary.values()) == list(range(len(result.vocabulary)))
    assert result.numbers.dtype == result.lengths.dtype == "int32"


def test_blocks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = ["a b-c", "", "c", "b a d-a", "-"]
    whole = numbered(texts, halves)
    monkeypatch.setattr(vocabulary, "BLOCK", 2)
    parts = numbered(iter(texts), halves)
    assert texts_of(parts) == texts_of(whole)
    assert parts.vocabulary == whole.vocabulary


def test_a_chunk_is_cut_once() -> None:
    chunks = []

    def cut(chunk: str) -> list[str]:
        chunks.append(chunk)
        return [chunk]

    numbered(["a b a", "b a"], cut)
    assert chunks == ["a", "b"]
