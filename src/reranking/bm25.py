"""Okapi BM25, equal to rank_bm25's BM25Okapi to the last bit, computed over the query's words only.

    score(d, q) = sum over the words w of q, with repeats, of idf(w) tf (k1 + 1) / (tf + k1 (1 - b + b |d| / avgdl))
    idf(w) = ln(N - n + 0.5) - ln(n + 0.5)

A negative idf becomes epsilon times the mean idf over all words, negatives included. (Robertson and Zaragoza 2009; the
lower bound for a negative idf is that of rank_bm25 0.2.2.)

Other forms of BM25 are a `Formula`; Lucene's is in `src/reranking/corpus/lucene.py`.

Limitations: does not tokenize. Texts of equal score come in the order of `np.argsort(scores)[::-1]`, as published;
numpy does not promise the same order on every processor. Other BM25 libraries give other rankings, since they have no
lower bound for a negative idf.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from src.array_cache import NotKept, keep, recall
from src.reranking.largest import largest
from src.reranking.mapped_vocabulary import MappedVocabulary
from src.reranking.postings import Postings
from src.vocabulary import NumberedWords

K1, B, EPSILON = 1.5, 0.75, 0.25
CACHED = 2_000_000  # pairs of a word and a text in the cache of term weights; 16 bytes each
_LAYOUT = {"layout": "bm25 1"}

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Formula:
    """A form of BM25: score = idf * gain * tf / (tf + k1 * (1 - b + b * length / average length)).

    `k1`, `b`: the constants of BM25.
    `gain`: factor of the numerator: k1 + 1 in Okapi BM25, 1 in Lucene.
    `idf`: function from the number of texts that contain each word, and the number of all texts, to each word's idf.
    `lengths`: function from the lengths of texts in words to the lengths in the formula.
    """

    name: str
    k1: float
    b: float
    gain: float
    idf: Callable[[npt.NDArray[np.int64], int], Floats]
    lengths: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]


@dataclass(frozen=True)
class BM25:
    """BM25 index over the words of N texts; `scores` and `top` answer queries.

    It is built by `of`, or loaded by `recall`.
    """

    vocabulary: Mapping[str, int]
    postings: Postings
    idf: Floats  # of each word
    lengths: npt.NDArray[Any]  # of each text, in words
    formula: Formula

    @classmethod
    def of(cls, words: NumberedWords, formula: Formula | None = None) -> Self:
        """Return the index of tokenized texts. The default formula is Okapi, as in rank_bm25."""
        formula = formula or OKAPI
        postings = Postings.of(words)
        idf = formula.idf(postings.holders(), len(words.lengths))
        return cls(words.vocabulary, postings, idf, words.lengths, formula)

    @property
    def size(self) -> int:
        """Return the number of texts in the index."""
        return len(self.lengths)

    def scores(self, query: Iterable[str]) -> Floats:
        """Return the BM25 score of each text for the query's words (shape [N]). Unknown words add nothing."""
        total = np.zeros(self.size)
        for word in query:
            number = self.vocabulary.get(word)
            if number is None:
                continue
            texts, weights = self._weighted(number)
            total[texts] += weights
        return total

    def holders(self, query: Iterable[str]) -> npt.NDArray[np.bool_]:
        """Return for each text True if it contains a word of the query (shape [N]).

        A score cannot show this: a word that most texts contain may score 0 or less.
        """
        contains = np.zeros(self.size, np.bool_)
        for word in query:
            if (number := self.vocabulary.get(word)) is not None:
                contains[self.postings.of_word(number)[0]] = True
        return contains

    def top(self, query: Iterable[str], k: int) -> list[int]:
        """Return the indexes (from 0) of the k best texts, best first; all N if k is larger.

        All scores are sorted only if some of the best are equal: the published order of equal scores is that of a full
        sort.
        """
        scores = self.scores(query)
        best = largest(scores, k + 1)
        if (np.diff(scores[best]) == 0).any():
            best = np.argsort(scores)[::-1]
        positions: list[int] = best[:k].tolist()
        return positions

    def _weighted(self, number: int) -> tuple[npt.NDArray[np.intp], Floats]:
        """Return the texts that contain the word `number`, and what the word adds to the score of each.

        The pair is cached for later queries.
        """
        weighted = self._weight_cache.get(number)
        if weighted is None:
            small, counts = self.postings.of_word(number)
            texts = small.astype(np.intp)
            weighted = texts, self.idf[number] * (counts * self.formula.gain / (counts + self._norm[texts]))
            self._weight_cache.put(number, weighted)
        return weighted

    @cached_property
    def _weight_cache(self) -> "_WeightCache":
        return _WeightCache()

    @cached_property
    def _norm(self) -> Floats:
        """The length normalization of each text, k1 (1 - b + b |d| / avgdl), shape [N]."""
        words = int(self.lengths.sum(dtype=np.int64))
        average = words / self.size if words else 1.0
        k1, b, lengths = self.formula.k1, self.formula.b, self.formula.lengths(self.lengths)
        norm: Floats = k1 * (1 - b + b * lengths / average)
        return norm

    def keep(self, path: Path, labels: Mapping[str, str]) -> None:
        """Write the index to a file, with labels that identify its texts.

        Raises OutputError when it cannot be written.
        """
        arrays = {
            **MappedVocabulary.arrays(self.vocabulary),
            "idf": self.idf,
            "lengths": self.lengths.astype(_smallest(self.lengths)),
            "bounds": self.postings.bounds,
            "texts": self.postings.texts,
            "counts": self.postings.counts,
        }
        keep(path, arrays, {**labels, **_labels(self.formula)})

    @classmethod
    def recall(cls, path: Path, labels: Mapping[str, str], formula: Formula | None = None) -> Self:
        """Return the index that `keep` wrote, memory-mapped.

        Raises NotKept when the file has no index for these labels.
        """
        formula = formula or OKAPI
        arrays = recall(path, {**labels, **_labels(formula)})
        try:
            postings = Postings(arrays["bounds"], arrays["texts"], arrays["counts"])
            return cls(MappedVocabulary.of(arrays), postings, arrays["idf"], arrays["lengths"], formula)
        except KeyError:
            raise NotKept("damaged") from None


class _WeightCache(dict[int, tuple[npt.NDArray[np.intp], Floats]]):
    """Cache of `BM25._weighted` by word number: texts and weights. It is cleared as a whole when it is too large."""

    held = 0

    def put(self, number: int, weighted: tuple[npt.NDArray[np.intp], Floats]) -> None:
        if self.held > CACHED:
            self.clear()
            self.held = 0
        self[number] = weighted
        self.held += len(weighted[0])


def _idf(holders: npt.NDArray[np.int64], size: int) -> Floats:
    """Return the idf of each word from `holders`, the number of texts that contain it; `size` is the number of texts.

    The mean idf is summed in order, like in rank_bm25.
    """
    if not len(holders):
        return np.zeros(0)
    by_count = np.zeros(int(holders.max()) + 1)
    for n in np.unique(holders).tolist():
        by_count[n] = math.log(size - n + 0.5) - math.log(n + 0.5)
    idf: Floats = by_count[holders]
    floor = EPSILON * (sum_in_order(idf.tolist()) / len(idf))
    idf[idf < 0] = floor
    return idf


def sum_in_order(values: Iterable[float]) -> float:
    """Return the sum by left-to-right addition, like rank_bm25; Python 3.12's `sum` compensates rounding."""
    total = 0.0
    for value in values:
        total += value
    return total


OKAPI = Formula("okapi", K1, B, K1 + 1, _idf, lambda lengths: lengths)


def _labels(formula: Formula) -> dict[str, str]:
    """Return the labels that identify the formula of a cached index.

    Labels of the Okapi formula lack its name, so that older files are still valid.
    """
    return _LAYOUT if formula == OKAPI else {**_LAYOUT, "formula": formula.name}


def _smallest(values: npt.NDArray[Any]) -> np.dtype[Any]:
    """Return the smallest integer type that holds all of the values, which are not negative."""
    return np.min_scalar_type(int(values.max(initial=0)))
