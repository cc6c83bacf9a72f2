"""Chooses one question for each sentence among the candidates that a model wrote for it.

Minimum Bayes risk (Kumar and Byrne 2004; Eikema and Aziz 2020), for a set: what the model draws stands for what people
may ask about the claim. With u(a, b) the likeness of question b to the expected question a, chosen are the q_i that
make largest, over the expected questions r,

    mean_r max_i u(r, q_i)  +  typical sum_i mean_r u(r, q_i)  +  named sum_i u(claim, q_i)

so that together they ask much of what may be asked, each one is no odd draw (a draw does not count for itself), and
each names what the claim is about. Found by coordinate ascent from the best single questions. How much each counts was
chosen on held-out training claims (`bench/questions/choice.py`).

But: a local maximum; of many candidates an even selection of `expected` stands for what is asked.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from src.reranking.questions.prompt import is_question

Scores = NDArray[np.float64]
Likeness = Callable[[Sequence[str], Sequence[str]], Scores]  # (expected, candidates) -> [candidates, expected]

PASSES = 4


class Weighing(NamedTuple):
    """What counts beside asking much, for each question; and how many questions stand for what is asked."""

    typical: float = 0.02
    named: float = 0.02
    expected: int = 128


USUAL = Weighing()


def choose_questions(
    claim: str, candidates: Sequence[Sequence[str]], likeness: Likeness, weighing: Weighing = USUAL
) -> list[str]:
    """One of each sentence's candidates (at least one each), in the order of the sentences; of equals the first. Those
    that ask nothing are chosen only where there is no other.
    """
    candidates = [[question for question in own if is_question(question)] or own[:1] for own in candidates]
    flat = [question for own in candidates for question in own]
    if not flat:
        return []
    places = np.linspace(0, len(flat) - 1, min(weighing.expected, len(flat))).round().astype(int)
    scores = likeness([*(flat[place] for place in places), claim], flat)
    scores[places, np.arange(len(places))] = 0.0  # a draw is no evidence for itself
    ends = np.cumsum([len(own) for own in candidates])[:-1]
    alike, named = np.split(scores[:, :-1], ends), np.split(scores[:, -1], ends)
    alone = [weighing.typical * own.mean(1) + weighing.named * single for own, single in zip(alike, named, strict=True)]
    chosen = _ascended(alike, alone)
    return [own[place] for own, place in zip(candidates, chosen, strict=True)]


def _ascended(alike: Sequence[Scores], alone: Sequence[Scores]) -> list[int]:
    """Places of the chosen candidates. `alike`: [candidates, expected] of each sentence, `alone`: [candidates]."""
    chosen = [int(own.argmax()) for own in alone]
    for _ in range(PASSES):
        before = list(chosen)
        for number, (own, single) in enumerate(zip(alike, alone, strict=True)):
            others = [scores[place] for scores, place in zip(alike, chosen, strict=True)]
            others[number] = np.zeros_like(own[0])
            covered = np.maximum(own, np.max(others, axis=0)).mean(1)
            chosen[number] = int((covered + single).argmax())
        if chosen == before:
            break
    return chosen
