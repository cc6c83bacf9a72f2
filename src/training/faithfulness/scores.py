"""How well held-out planted errors are told: recall by kind where one clean sentence in fifty is flagged for the type.

But: errors are planted with the words that are learned from; new words are in `src.explanation.evaluate_checks`.
"""

from collections.abc import Callable, Sequence

import numpy as np

from src.explanation.synthetic_errors.kinds import Kind
from src.models.evidence_rows import Input
from src.training.faithfulness.examples import TaggedSentence
from src.training.task import Final, Scores

ALARMS = 0.02
MEAN = "mean recall"
Ask = Callable[[Sequence[Input]], "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"]
"""Inputs to the highest probability of each label over the sentence: [inputs, labels]."""


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
    """The floor flags sentences by chance."""
    return Final(held_out_scores(ask, examples), {MEAN: ALARMS})
