"""The scores of a tagger on held-out planted errors: recall of each kind at a false alarm rate of one clean sentence in
fifty for the error type.

Limitations: errors are planted with the word lists of the training. `src.explanation.evaluate_checks` has other words.
"""

from collections.abc import Callable, Sequence

import numpy as np

from src.explanation.synthetic_errors.records import Kind
from src.models.evidence_rows import Input
from src.training.faithfulness.examples import TaggedSentence
from src.training.task import Final, Scores

ALARMS = 0.02
MEAN = "mean recall"
Ask = Callable[[Sequence[Input]], "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"]
"""A function from inputs to the highest probability of each label over the sentence, [inputs, labels]."""


def held_out_scores(ask: Ask, examples: Sequence[TaggedSentence]) -> Scores:
    highest = ask([one.text for one in examples])
    clean = np.array([one.label == 0 for one in examples])
    found: Scores = {}
    for kind in Kind:
        of_kind = np.array([one.kind is kind for one in examples])
        if of_kind.any():
            label = next(one.label for one in examples if one.kind is kind)
            threshold = np.quantile(highest[clean, label], 1 - ALARMS)
            found[str(kind)] = float((highest[of_kind, label] > threshold).mean())
    return found | {MEAN: float(np.mean(list(found.values())))}


def final_scores(ask: Ask, examples: Sequence[TaggedSentence]) -> Final:
    """Return the final scores. The baseline flags sentences by chance."""
    return Final(held_out_scores(ask, examples), {MEAN: ALARMS})
