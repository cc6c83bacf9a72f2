"""METEOR as NLTK 3.9.1 computes it, bit for bit, many times as fast (`bench/evaluator.py`).

Words are paired in three passes: same word in lower case, same Porter stem, stem of the reference among the WordNet
synonyms of the hypothesis's stem. Every pass goes through the hypothesis from its end. Each free word is paired with
the last free word of the reference that fits. With m pairs, in c chunks (runs adjacent in both texts):

    P = m / |hypothesis|   R = m / |reference|   F = P R / (0.9 P + 0.1 R)   score = (1 - 0.5 (c / m)^3) F

Lavie and Agarwal, "Meteor: An Automatic Metric for MT Evaluation with High Levels of Correlation with Human Judgments",
WMT 2007. It is fast because lower case, stems and synonyms are computed once per text (`Words`), not for each pair of
texts. Equal words are paired by their positions instead of comparing all with all, which gives the same pairs.

Limitations: one reference per score; no parameters; the alignment is NLTK's greedy one, not the one with the fewest
crossings.
"""

import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from src.evaluation.wordnet import synonyms
from src.light_imports import light_nltk
from src.text import require_nltk, words

Places = dict[str, list[int]]  # word -> its indices in the text, last first


class Words:
    """A text preprocessed for METEOR, as a reference or as a hypothesis.

    Raises MissingExtra without NLTK or WordNet.
    """

    __slots__ = ("length", "places", "stem_places", "stems", "synonyms")

    def __init__(self, words: Sequence[str]) -> None:
        lowered = [word.lower() for word in words]
        self.length = len(lowered)
        self.places = _places(lowered)
        self.stems = [_stem(word) for word in lowered]
        self.stem_places = _places(self.stems)
        backwards = ((place, _synonyms(self.stems[place])) for place in reversed(range(self.length)))
        self.synonyms = [(place, names) for place, names in backwards if names]


def meteor(reference: Words, hypothesis: Words) -> float:
    """Return METEOR of a hypothesis with a reference, between 0 and 1; 0 if no word matches.

    The value is that of `nltk.translate.meteor_score.single_meteor_score`.
    """
    pairs = align(reference, hypothesis)
    matched = len(pairs)
    if not matched:
        return 0.0
    precision = matched / hypothesis.length
    recall = matched / reference.length
    fmean = (precision * recall) / (0.9 * precision + (1 - 0.9) * recall)
    fragmentation: float = _chunks(pairs) / matched
    return (1 - 0.5 * math.pow(fragmentation, 3.0)) * fmean


def meteor_table(references: Sequence[str], hypotheses: Sequence[str]) -> NDArray[np.float64]:
    """Return METEOR of each hypothesis with each reference, [hypotheses, references]."""
    return scores_against([Words(words(text)) for text in references], hypotheses)


def scores_against(references: Sequence[Words], hypotheses: Sequence[str]) -> NDArray[np.float64]:
    """Return METEOR of each hypothesis with each preprocessed reference, [hypotheses, references]. A repeated
    hypothesis is scored once.
    """
    rows: dict[str, list[float]] = {}
    for text in hypotheses:
        if text not in rows:
            hypothesis = Words(words(text))
            rows[text] = [meteor(reference, hypothesis) for reference in references]
    return np.array([rows[text] for text in hypotheses], dtype=np.float64).reshape(-1, len(references))


def align(reference: Words, hypothesis: Words) -> dict[int, int]:
    """Return the matched words: index in the hypothesis -> index in the reference, in no particular order."""
    pairs: dict[int, int] = {}
    for word in hypothesis.places.keys() & reference.places.keys():
        pairs.update(zip(hypothesis.places[word], reference.places[word], strict=False))
    taken = set(pairs.values())
    for stem in hypothesis.stem_places.keys() & reference.stem_places.keys():
        free = [place for place in hypothesis.stem_places[stem] if place not in pairs]
        if free:
            others = [place for place in reference.stem_places[stem] if place not in taken]
            pairs.update(zip(free, others, strict=False))
    taken.update(pairs.values())
    _align_synonyms(reference, hypothesis, pairs, taken)
    return pairs


def _align_synonyms(reference: Words, hypothesis: Words, pairs: dict[int, int], taken: set[int]) -> None:
    """Run the third pass: add the pairs of synonyms to `pairs`, and their words in the reference to `taken`.

    Synonym sets overlap, so the order of the words matters.
    """
    left = {stem for place, stem in enumerate(reference.stems) if place not in taken}
    for place, names in hypothesis.synonyms:
        if place in pairs or names.isdisjoint(left):
            continue
        fits = (other for stem in names & left for other in reference.stem_places[stem] if other not in taken)
        best = max(fits, default=-1)
        if best >= 0:
            pairs[place] = best
            taken.add(best)


def _chunks(pairs: dict[int, int]) -> int:
    """Return the number of chunks: runs of pairs whose words are adjacent in both texts. At least one pair is
    needed.
    """
    return sum(pairs.get(place - 1, -1) != other - 1 or other == 0 for place, other in pairs.items())


def _places(words: list[str]) -> Places:
    """Return the indices of each word, last first."""
    places: Places = {}
    for place in range(len(words) - 1, -1, -1):
        places.setdefault(words[place], []).append(place)
    return places


@cache
def _stemmer() -> Callable[[str], str]:
    require_nltk()
    with light_nltk():
        from nltk.stem.porter import PorterStemmer

    stem: Callable[[str], str] = PorterStemmer().stem
    return stem


@cache
def _stem(word: str) -> str:
    return _stemmer()(word)


_synonyms = cache(synonyms)
