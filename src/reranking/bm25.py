"""Okapi BM25, equal to rank_bm25's BM25Okapi to the last bit, computed over the query's words only.

score(d, q) = sum over the words w of q, repeats counted, of idf(w) tf (k1 + 1) / (tf + k1 (1 - b + b |d| / avgdl))
idf(w) = ln(N - n + 0.5) - ln(n + 0.5); a negative idf becomes epsilon times the mean idf over all words, negatives
included. (Robertson and Zaragoza 2009; the floor is rank_bm25 0.2.2's.)

But: texts of equal score come in the order of `np.argsort(scores)[::-1]`, as published, which numpy does not promise to
be the same on every processor. Other BM25 libraries give other rankings, since they lack the negative-idf floor.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt

K1, B, EPSILON = 1.5, 0.75, 0.25

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class BM25:
    """An index over tokenised texts (N of them); `scores` and `top` answer queries."""

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        self.size = len(texts)
        self._vocabulary, words = _number(chain.from_iterable(texts))
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=self.size)
        self._texts, self._counts, self._bounds = _postings(words, lengths, len(self._vocabulary))
        self._idf = _idf(np.diff(self._bounds), self.size)
        average = len(words) / self.size if len(words) else 1.0
        self._norm = K1 * (1 - B + B * lengths / average)

    def scores(self, query: Iterable[str]) -> Floats:
        """One score for each text (shape [N]), in their order. Unknown words count nothing."""
        total = np.zeros(self.size)
        for word in query:
            number = self._vocabulary.get(word)
            if number is None:
                continue
            span = slice(self._bounds[number], self._bounds[number + 1])
            texts, counts = self._texts[span], self._counts[span]
            total[texts] += self._idf[number] * (counts * (K1 + 1) / (counts + self._norm[texts]))
        return total

    def top(self, query: Iterable[str], k: int) -> list[int]:
        """The positions of the k best texts, best first; all N when k is larger."""
        return [int(place) for place in np.argsort(self.scores(query))[::-1][:k]]


def _number(words: Iterable[str]) -> tuple[dict[str, int], Ints]:
    """Numbers words by first appearance: the order in which rank_bm25 sums their idf."""
    vocabulary: dict[str, int] = {}
    return vocabulary, np.array([vocabulary.setdefault(word, len(vocabulary)) for word in words], dtype=np.int64)


def _postings(words: Ints, lengths: Ints, vocabulary: int) -> tuple[Ints, Ints, Ints]:
    """For word w, the texts that hold it and how often: texts[bounds[w]:bounds[w+1]], counts likewise."""
    texts = np.repeat(np.arange(len(lengths)), lengths)
    pairs, counts = np.unique(words * max(1, len(lengths)) + texts, return_counts=True)
    holders, texts = np.divmod(pairs, max(1, len(lengths)))
    return texts, counts, np.searchsorted(holders, np.arange(vocabulary + 1))


def _idf(holders: Ints, size: int) -> list[float]:
    by_count = {n: math.log(size - n + 0.5) - math.log(n + 0.5) for n in set(holders.tolist())}
    idf = [by_count[n] for n in holders.tolist()]
    floor = EPSILON * (sum_in_order(idf) / len(idf)) if idf else 0.0
    return [floor if value < 0 else value for value in idf]


def sum_in_order(values: Iterable[float]) -> float:
    """Plain left-to-right addition: Python 3.12's `sum` compensates rounding, and rank_bm25 does not."""
    total = 0.0
    for value in values:
        total += value
    return total
