"""Cosines are those of the encoder's vectors up to one byte's precision; shards are encoded once and recalled."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from src.reranking.corpus import nearest
from src.reranking.corpus.nearest import Nearest
from tests.word_encoder import WordEncoder

TEXTS = [f"number {place % 5} of {place % 7} and {place}" for place in range(23)]
QUERIES = ["number 3 of 4", "", "and 22", "and 22"]
LABELS = {"corpus": "abc"}


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nearest, "SHARD", 5)
    monkeypatch.setattr(nearest, "BLOCK", 2)


def opened(
    folder: Path, encoder: WordEncoder, labels: dict[str, str] = LABELS, texts: Sequence[str] = TEXTS
) -> Nearest:
    return Nearest.cached(len(texts), texts.__getitem__, encoder, folder, labels)


def exact(texts: Sequence[str] = TEXTS) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    encoder = WordEncoder()
    return encoder.encode(QUERIES) @ encoder.encode(texts).T


def test_cosines_in_memory_and_kept(tmp_path: Path) -> None:
    made = Nearest.of(len(TEXTS), TEXTS.__getitem__, WordEncoder()).cosines(QUERIES)
    assert np.abs(made - exact()).max() < 0.01
    for _ in range(2):
        assert np.array_equal(opened(tmp_path, WordEncoder()).cosines(QUERIES), made)


def test_one_query_and_many_give_the_same_bytes() -> None:
    index = Nearest.of(len(TEXTS), TEXTS.__getitem__, WordEncoder())
    assert np.array_equal(np.concatenate([index.cosines([query]) for query in QUERIES]), index.cosines(QUERIES))


def test_no_text_and_no_query() -> None:
    assert Nearest.of(0, TEXTS.__getitem__, WordEncoder()).cosines(QUERIES).shape == (4, 0)
    assert Nearest.of(3, TEXTS.__getitem__, WordEncoder()).cosines([]).shape == (0, 3)


def test_kept_vectors_are_not_encoded_again(tmp_path: Path) -> None:
    opened(tmp_path, WordEncoder())
    again = WordEncoder()
    opened(tmp_path, again)
    assert again.asked == []


def test_an_interrupted_run_goes_on_with_the_next_shard(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        opened(tmp_path, WordEncoder(most=12))
    again = WordEncoder()
    vectors = opened(tmp_path, again)
    assert again.asked == TEXTS[10:]
    assert np.abs(vectors.cosines(QUERIES) - exact()).max() < 0.01


@pytest.mark.parametrize("content", [b"", b"half"])
def test_a_damaged_shard_alone_is_encoded_again(tmp_path: Path, content: bytes) -> None:
    opened(tmp_path, WordEncoder())
    next(tmp_path.glob("vectors.*/2")).write_bytes(content)
    again = WordEncoder()
    opened(tmp_path, again)
    assert again.asked == TEXTS[10:15]


def test_another_encoder_or_another_corpus_encodes_for_itself(tmp_path: Path) -> None:
    opened(tmp_path, WordEncoder())
    other = WordEncoder("other")
    opened(tmp_path, other)
    assert other.asked == TEXTS
    changed = WordEncoder()
    vectors = opened(tmp_path, changed, {"corpus": "changed"}, TEXTS[::-1])
    assert changed.asked == TEXTS[::-1]
    assert np.abs(vectors.cosines(QUERIES) - exact(TEXTS[::-1])).max() < 0.01
