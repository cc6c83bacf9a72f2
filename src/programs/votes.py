"""What a claim's programs say together: the value of most of them, or as ProgramFC's released code counts.

A program without a label that can be read has no vote: it says nothing of the claim. Of values with as many votes, the
one whose programs' steps are the surer in sum; of those, the first of false, true, conflicting, unknown, as verdicts
are frequent in AVeriTeC.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple

from src.records import Value

ORDER = (Value.FALSE, Value.TRUE, Value.CONFLICTING, Value.UNKNOWN)


class Ballot(NamedTuple):
    """A program's value, the summed confidence of its steps, and whether it has a label and so a vote."""

    value: Value
    confidence: float
    has_label: bool = True


class Vote(StrEnum):
    """How the programs of a claim are counted."""

    PLURALITY = "plurality"
    PUBLISHED = "published"


Count = Callable[[Sequence[Ballot]], tuple[Value, float]]


def vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return the value, and the share of all programs that voted for it, 0 to 1; unknown and 0 where none votes."""
    voting = [ballot for ballot in ballots if ballot.has_label]
    if not voting:
        return Value.UNKNOWN, 0.0
    votes = Counter(ballot.value for ballot in voting)
    sure = {value: sum(one.confidence for one in voting if one.value is value) for value in votes}
    best = max(votes, key=lambda value: (votes[value], sure[value], -ORDER.index(value)))
    return best, votes[best] / len(ballots)


def published_vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return true where more programs are true than false, else false, and the share of all programs on that side.

    This is the count of ProgramFC's released code, whose programs are true or false. Here an unknown program is on
    neither side of the count, and supports the claim no more than a false one. Unknown and 0 where none has a label.
    """
    voting = [ballot.value for ballot in ballots if ballot.has_label]
    if not voting:
        return Value.UNKNOWN, 0.0
    true = voting.count(Value.TRUE)
    if true > voting.count(Value.FALSE):
        return Value.TRUE, true / len(ballots)
    return Value.FALSE, (len(voting) - true) / len(ballots)


COUNTS: dict[Vote, Count] = {Vote.PLURALITY: vote, Vote.PUBLISHED: published_vote}
