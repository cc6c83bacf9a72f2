"""Token ids of texts that are already lists of words."""

from collections.abc import Sequence

import numpy as np

from src.vocabulary import NumberedWords, Numbers


def numbered_lists(texts: Sequence[Sequence[str]]) -> NumberedWords:
    vocabulary = Numbers()
    numbers = [vocabulary[word] for text in texts for word in text]
    lengths = [len(text) for text in texts]
    return NumberedWords(vocabulary, np.array(numbers, np.int32), np.array(lengths, np.int32))
