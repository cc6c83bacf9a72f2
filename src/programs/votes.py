"""What a claim's programs say together: the value of most of them.

Of values with as many votes, the one whose programs' steps are the surer in sum; of those, the first of false, true,
conflicting, unknown, as verdicts are frequent in AVeriTeC.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from src.records import Value

ORDER = (Value.FALSE, Value.TRUE, Value.CONFLICTING, Value.UNKNOWN)


class Ballot(NamedTuple):
    """A program's value and the summed confidence of its steps."""

    value: Value
    confidence: float


def vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """The value and its share of the votes, 0 to 1; unknown with a share of 0 where there are none."""
    if not ballots:
        return Value.UNKNOWN, 0.0
    votes = Counter(ballot.value for ballot in ballots)
    sure = {value: sum(one.confidence for one in ballots if one.value is value) for value in votes}
    best = max(votes, key=lambda value: (votes[value], sure[value], -ORDER.index(value)))
    return best, votes[best] / len(ballots)
