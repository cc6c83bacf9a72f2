"""Kept vectors: the same fresh and recalled, encoded once, and not taken from a file of something else."""

from collections.abc import Callable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

from src.array_cache import keep
from src.errors import OutputError
from src.reranking.hybrid.vectors import LAYOUT, Arrays, KeptVectors, Precision, Vectors, packed, unpacked

WIDTH = 48
PRECISIONS: tuple[Precision, ...] = get_args(Precision)


class HashEncoder:
    """A text's vector is drawn by its hash; the texts it encoded are recorded."""

    def __init__(self, identity: str = "small", width: int = WIDTH) -> None:
        self.identity, self.width = identity, width
        self.texts: list[str] = []

    def encode(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        seeds = [int.from_bytes(sha256(text.encode()).digest()[:8]) for text in texts]
        rows = np.array([np.random.default_rng(seed).normal(size=self.width) for seed in seeds])
        unit: Vectors = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
        return unit

    def encode_queries(self, texts: Sequence[str]) -> Vectors:
        return self.encode([f"query: {text}" for text in texts])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "dev.index" / "0.vectors"


def opened(
    path: Path | None, encoder: HashEncoder, store: str = "abc", precision: Precision = "float16"
) -> KeptVectors:
    return KeptVectors(path, store, encoder, precision)


@pytest.mark.parametrize("precision", PRECISIONS)
def test_fresh_and_recalled_are_the_same_bytes(path: Path, precision: Precision) -> None:
    texts = ["one", "two", "", "one", "x" * 1_000_000]
    first = opened(path, HashEncoder(), precision=precision)
    fresh = first.of(texts)
    first.write()
    again, silent = (
        opened(path, encoder := HashEncoder(), precision=precision),
        opened(None, HashEncoder(), "", precision),
    )
    assert again.of(texts).tobytes() == fresh.tobytes() == silent.of(texts).tobytes()
    assert encoder.texts == []
    assert (first.counts.encoded, first.counts.recalled) == (4, 0)
    assert (again.counts.encoded, again.counts.recalled, again.counts.stale) == (0, 4, "")
    np.testing.assert_allclose(fresh, HashEncoder().encode(texts), atol=2**-11 if precision == "float16" else 2**-8)


def test_only_new_texts_are_encoded_and_the_file_holds_both(path: Path) -> None:
    first = opened(path, HashEncoder())
    first.of(["one", "two"])
    first.write()
    second = opened(path, encoder := HashEncoder())
    rows = second.of(["three", "two", "three"])
    assert encoder.texts == ["three"]
    assert np.array_equal(rows[0], rows[2])
    second.write()
    third = opened(path, encoder := HashEncoder())
    assert np.array_equal(third.of(["two", "one", "three"])[[2, 0]], rows[:2])
    assert encoder.texts == []


def test_a_query_is_not_the_text_of_the_same_words(path: Path) -> None:
    vectors = opened(path, encoder := HashEncoder())
    query, text = vectors.of_queries(["one"]), vectors.of(["one"])
    assert encoder.texts == ["query: one", "one"]
    assert not np.allclose(query, text)
    vectors.write()
    again = opened(path, HashEncoder())
    assert np.array_equal(again.of_queries(["one"]), query)
    assert np.array_equal(again.of(["one"]), text)


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda path: opened(path, HashEncoder(), store="abd"), "made for another store"),
        (lambda path: opened(path, HashEncoder("large")), "made for another encoder"),
        (lambda path: opened(path, HashEncoder(), precision="int8"), "made for another precision"),
        (lambda path: opened(path, HashEncoder(width=8)), "damaged"),
    ],
)
def test_what_belongs_to_something_else_is_named_and_written_anew(
    path: Path, other: Callable[[Path], KeptVectors], reason: str
) -> None:
    first = opened(path, HashEncoder())
    first.of(["one", "two"])
    first.write()
    second = other(path)
    assert second.counts.stale == reason
    second.of(["one"])
    assert second.counts.encoded == 1
    second.write()
    third = other(path)
    third.of(["one"])
    assert (third.counts.recalled, third.counts.stale) == (1, "")


@pytest.mark.parametrize("length", [0, 1, 100, 300, -1])
def test_a_half_written_file_is_damage(path: Path, length: int) -> None:
    first = opened(path, HashEncoder())
    rows = first.of(["one", "two"])
    first.write()
    path.write_bytes(path.read_bytes()[:length])
    second = opened(path, encoder := HashEncoder())
    assert second.counts.stale == "damaged"
    assert np.array_equal(second.of(["one", "two"]), rows)
    assert encoder.texts == ["one", "two"]


@pytest.mark.parametrize(
    "arrays",
    [
        {"keys": np.zeros((2, 16), np.uint8)},
        {"vectors": np.zeros((2, WIDTH), np.float16)},
        {"keys": np.zeros((3, 16), np.uint8), "vectors": np.zeros((2, WIDTH), np.float16)},
        {"keys": np.zeros((2, 8), np.uint8), "vectors": np.zeros((2, WIDTH), np.float16)},
        {"keys": np.zeros((2, 16), np.uint8), "vectors": np.zeros((2, WIDTH), np.float32)},
    ],
)
def test_other_arrays_under_the_right_labels_are_damage(path: Path, arrays: Arrays) -> None:
    labels = {"store": "abc", "encoder": "small", "precision": "float16", "layout": LAYOUT}
    keep(path, arrays, labels)
    assert opened(path, HashEncoder()).counts.stale == "damaged"


def test_without_texts_nothing_is_encoded_or_written(path: Path) -> None:
    vectors = opened(path, encoder := HashEncoder())
    assert vectors.of([]).shape == (0, WIDTH)
    vectors.write()
    assert not path.exists()
    assert encoder.texts == []


def test_where_nothing_can_be_written_the_vectors_are_there_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder", encoding="utf-8")
    vectors = opened(tmp_path / "file" / "0.vectors", HashEncoder())
    rows = vectors.of(["one"])
    with pytest.raises(OutputError):
        vectors.write()
    assert np.array_equal(vectors.of(["one"]), rows)


def test_int8_rows_keep_their_largest_number_and_zeros() -> None:
    rows = np.zeros((2, 4), np.float32)
    rows[0] = [0.5, -0.25, 0.001, 0]
    restored = unpacked(packed(rows, "int8"))
    assert np.array_equal(restored[1], rows[1])
    assert restored[0, 0] == pytest.approx(0.5)
    np.testing.assert_allclose(restored[0], rows[0], atol=0.5 / 127 / 2 + 1e-7)
