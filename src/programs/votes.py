"""Votes over the programs of a claim: by plurality, or as ProgramFC's released code counts.

A program without a readable label has no vote. Ties of the plurality go to the value whose programs have the higher
summed confidence. Remaining ties go to the first of false, true, conflicting, unknown: the order of the verdicts'
frequency in AVeriTeC.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from src.records import Value

ORDER = (Value.FALSE, Value.TRUE, Value.CONFLICTING, Value.UNKNOWN)


class Ballot(NamedTuple):
    """The value of a program, the summed confidence of its steps, and True if it has a label and may vote."""

    value: Value
    confidence: float
    has_label: bool = True


class Vote(StrEnum):
    """The ways to count the programs of a claim."""

    PLURALITY = "plurality"
    PUBLISHED = "published"


Count = Callable[[Sequence[Ballot]], tuple[Value, float]]


def vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return the value with most votes, and its share of all programs (0 to 1). Without votes: unknown and 0."""
    voting = [ballot for ballot in ballots if ballot.has_label]
    if not voting:
        return Value.UNKNOWN, 0.0
    votes = Counter(ballot.value for ballot in voting)
    sure = {value: sum(one.confidence for one in voting if one.value is value) for value in votes}
    best = max(votes, key=lambda value: (votes[value], sure[value], -ORDER.index(value)))
    return best, votes[best] / len(ballots)


def published_vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return true if more programs are true than false, else false, and the share of all programs on that side.

    This is the count of ProgramFC's released code, whose programs are true or false. Here a program can also be unknown
    or conflicting: it counts for neither side, but belongs to the share of false. Without votes: unknown and 0.
    """
    voting = [ballot.value for ballot in ballots if ballot.has_label]
    if not voting:
        return Value.UNKNOWN, 0.0
    true = voting.count(Value.TRUE)
    if true > voting.count(Value.FALSE):
        return Value.TRUE, true / len(ballots)
    return Value.FALSE, (len(voting) - true) / len(ballots)


COUNTS: dict[Vote, Count] = {Vote.PLURALITY: vote, Vote.PUBLISHED: published_vote}
