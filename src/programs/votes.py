"""What a claim's programs say together: the value of most of them.

A program without a label that can be read has no vote: it says nothing of the claim. Of values with as many votes, the
one whose programs' steps are the surer in sum; of those, the first of false, true, conflicting, unknown, as verdicts
are frequent in AVeriTeC.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from src.records import Value

ORDER = (Value.FALSE, Value.TRUE, Value.CONFLICTING, Value.UNKNOWN)


class Ballot(NamedTuple):
    """A program's value, the summed confidence of its steps, and whether it has a label and so a vote."""

    value: Value
    confidence: float
    has_label: bool = True


def vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return the value, unknown where no program votes, and the share of all programs that has it, 0 to 1."""
    if not ballots:
        return Value.UNKNOWN, 0.0
    voting = [ballot for ballot in ballots if ballot.has_label]
    votes = Counter(ballot.value for ballot in voting)
    sure = {value: sum(one.confidence for one in voting if one.value is value) for value in votes}
    best = max(votes, key=lambda value: (votes[value], sure[value], -ORDER.index(value)), default=Value.UNKNOWN)
    return best, sum(ballot.value is best for ballot in ballots) / len(ballots)
