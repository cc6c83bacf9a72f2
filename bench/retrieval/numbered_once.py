"""The words of many pools' sentences, each sentence cut once; a pool gets what cutting it by itself would give."""

from collections.abc import Callable, Sequence

import numpy as np

from src.vocabulary import NumberedWords

Numbering = Callable[[Sequence[str]], NumberedWords]


def numbered_once(texts: Sequence[str], numbering: Numbering) -> Numbering:
    """`numbering` for any selection of these texts. Raises KeyError for another text."""
    places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    whole = numbering(list(places))
    vocabulary = np.array(list(whole.vocabulary), dtype=object)
    ends = np.cumsum(whole.lengths, dtype=np.int64)

    def selected(texts: Sequence[str]) -> NumberedWords:
        rows = np.array([places[text] for text in texts], dtype=np.int64)
        lengths = whole.lengths[rows]
        at = np.repeat(ends[rows] - np.cumsum(lengths, dtype=np.int64), lengths)
        words = whole.numbers[at + np.arange(len(at))]
        distinct, first, numbers = np.unique(words, return_index=True, return_inverse=True)
        order = np.argsort(first)  # words by their first appearance
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return NumberedWords(
            dict(zip(vocabulary[distinct[order]], range(len(order)), strict=True)), rank[numbers], lengths
        )

    return selected
