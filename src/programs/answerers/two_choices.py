"""Which of two choices, true and false, a model's scores say: for steps, and for verdicts without programs."""

import math

from src.llm.protocol import Reply
from src.records import Value


def told(reply: Reply, threshold: float = 0.5, unsure: float = 0.0) -> tuple[Value, float, str]:
    """Value, confidence, failure. `threshold` is the probability from which it is true, so of equal scores true.

    Within `unsure` of it the value is unknown; so it is where no choice has a score, and that is a failure.
    """
    if not any(math.isfinite(score) for score in reply.scores):
        return Value.UNKNOWN, 0.0, "the model scored none of the choices"
    true = _probability(reply)
    if abs(true - threshold) < unsure:
        return Value.UNKNOWN, 0.0, ""
    return (Value.TRUE, true, "") if true >= threshold else (Value.FALSE, 1 - true, "")


def _probability(reply: Reply) -> float:
    """Of the first of two choices, from their log-probabilities."""
    first, second = reply.scores
    return 1 / (1 + math.exp(min(700.0, second - first)))
