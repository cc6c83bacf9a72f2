"""Runs of adjacent sentences of a piece of evidence, each read as it would be quoted."""

from collections.abc import Sequence
from typing import NamedTuple

from src.explanation.records import ExplainedClaim
from src.records import QAPair, Side
from src.stance.records import Passage, Stance
from src.stance.restatement import repetitions
from src.stance.stacker import passage_of
from src.text import sentences

MOST_SENTENCES = 8  # of a piece
SHORTEST = 4  # fewest words of a sentence that is quoted alone
LONGEST_RUN = 3  # most adjacent sentences that are quoted together
LONGEST = 60  # most words of a quotation; a longer sentence is cut before it is read
CUT = " …"


class Run(NamedTuple):
    """Adjacent sentences of a piece, as they are read and quoted."""

    passage: Passage
    length: int  # in sentences
    has_repetition: bool  # a sentence only repeats the claim

    def is_reason(self, stance: Stance) -> bool:
        """Return True if the run may be quoted as a reason.

        False if it only repeats the claim, or if it supports the claim and has a sentence that repeats it.
        """
        is_correction = stance.contradict > stance.entail
        return stance.side is not Side.REPEATS and (is_correction or not self.has_repetition)


def runs_of(claim: ExplainedClaim, pair: QAPair) -> list[Run]:
    """Return the sentences of an answer and its runs of adjacent sentences; a bare answer is one run, with its
    question.
    """
    whole = passage_of(pair, claim.speaker)
    if whole.text != pair.answer:
        return [_run(whole, [whole.text], has_repetition=False)]
    each = sentences(whole.text)[:MOST_SENTENCES]
    repeated = repetitions(claim.claim, each, whole.url, whole.speaker)
    places = [(first, 1) for first, one in enumerate(each) if len(one.split()) >= SHORTEST] or [(0, len(each))]
    places += [
        (first, length)
        for length in range(2, min(LONGEST_RUN, len(each)) + 1)
        for first in range(len(each) - length + 1)
        if sum(len(one.split()) for one in each[first : first + length]) <= LONGEST
    ]
    return [
        _run(whole, each[first : first + length], has_repetition=any(repeated[first : first + length]))
        for first, length in places
    ]


def _run(whole: Passage, adjacent: Sequence[str], *, has_repetition: bool) -> Run:
    words = " ".join(adjacent).split()
    text = " ".join(words) if len(words) <= LONGEST else f"{' '.join(words[:LONGEST])}{CUT}"
    return Run(whole._replace(text=text), len(adjacent), has_repetition)
