"""Choice of relevant sentences without repetition.

Maximal marginal relevance (Carbonell and Goldstein 1998), one sentence at a time:

    next = argmax over the rest of relevance - w * (largest cosine with a chosen one)

A sentence that repeats a chosen one (equal words, or a cosine of at least `same`) is dropped, unless exactly one of the
two contains a negation. A sentence whose page or site has used up its share of k is chosen only when no other is left.
"""

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from src.canonical_url import page_addresses
from src.reranking.hybrid.relevance import Candidates, cosines
from src.reranking.hybrid.settings import Settings


class Source(NamedTuple):
    """Page and site of a sentence. Sentences with equal `page` are from one page; both are "" if the URL is unknown."""

    page: str
    site: str


def source(url: str) -> Source:
    """Return page and site of a URL: its canonical URL and the host in it."""
    addresses = page_addresses(url)
    return Source(str(addresses[-1]), addresses[-1].host) if addresses else Source("", "")


def diverse(candidates: Candidates, relevance: npt.NDArray[np.floating[Any]], sources: Sequence[Source], k: int,
            settings: Settings, spare: int = 0) -> list[int]:  # fmt: skip
    """Return the rows of at most k candidates, followed by at most `spare` more, best first; ties by row.

    `relevance`: relevance of each candidate, shape [n].
    `sources`: page and site of each candidate; each page and site has a share of k, and candidates beyond that share
        come last.
    """
    choice = _Choice(candidates, relevance, settings)
    shares = _Shares(sources, k, settings)
    chosen: list[int] = []
    while len(chosen) < k + spare and choice.is_open.any():
        open_and_free = choice.is_open & shares.are_free
        row = choice.best(open_and_free if open_and_free.any() else choice.is_open)
        chosen.append(row)
        choice.take(row)
        shares.take(row)
    return chosen


class _Choice:
    """The candidates that may still be chosen, and the greatest likeness of each to the chosen ones."""

    def __init__(self, candidates: Candidates, relevance: npt.NDArray[np.floating[Any]], settings: Settings) -> None:
        self._candidates, self._relevance, self._settings = candidates, relevance, settings
        self._nearest = np.zeros(len(relevance), np.float32)
        numbers: dict[frozenset[str], int] = {}
        self._words = np.array([numbers.setdefault(own, len(numbers)) for own in candidates.words])
        self.is_open = np.ones(len(relevance), np.bool_)

    def best(self, among: npt.NDArray[np.bool_]) -> int:
        """Return the row of the best candidate by marginal relevance, of those where `among` is True."""
        marginal = self._relevance - self._settings.diversity * self._nearest
        return int(np.where(among, marginal, -np.inf).argmax())

    def take(self, row: int) -> None:
        """Choose a candidate, and drop the candidates that repeat it."""
        likeness = cosines(self._candidates.vectors, self._candidates.vectors[row])
        np.maximum(self._nearest, likeness, out=self._nearest)
        self.is_open[row] = False
        if self._settings.same < 1:
            denials = self._candidates.denials
            other = (likeness < self._settings.same) & (self._words != self._words[row])
            self.is_open &= other | (denials != denials[row])


class _Shares:
    """The candidates whose page and site have not used up their share of k."""

    def __init__(self, sources: Sequence[Source], k: int, settings: Settings) -> None:
        self._pages = _Share([source.page for source in sources], math.ceil(k * settings.page_share))
        self._sites = _Share([source.site for source in sources], math.ceil(k * settings.site_share))

    @property
    def are_free(self) -> npt.NDArray[np.bool_]:
        return self._pages.are_free & self._sites.are_free

    def take(self, row: int) -> None:
        self._pages.take(row)
        self._sites.take(row)


class _Share:
    """Limit on the candidates taken from one page or site; there is none where the name of page or site is ""."""

    def __init__(self, names: Sequence[str], limit: int) -> None:
        self._names, self._limit = names, limit
        self._taken: Counter[str] = Counter()
        self.are_free = np.ones(len(names), np.bool_)

    def take(self, row: int) -> None:
        name = self._names[row]
        self._taken[name] += 1
        if name and self._taken[name] == self._limit:
            self.are_free &= np.array([other != name for other in self._names], np.bool_)
