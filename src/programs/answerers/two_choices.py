"""Verdicts from a model's scores of two choices, true and false: for steps, and for whole claims without programs."""

import math

from src.llm.protocol import Reply
from src.records import Value


def told(reply: Reply, threshold: float = 0.5, unsure: float = 0.0) -> tuple[Value, float, str]:
    """Return value, confidence (0 to 1) and failure.

    The value is true from the probability `threshold` on; equal scores are true at 0.5. Within `unsure` of the
    threshold it is unknown. If no choice has a score, it is unknown and a failure.
    """
    if not any(math.isfinite(score) for score in reply.scores):
        return Value.UNKNOWN, 0.0, "the model scored none of the choices"
    true = _probability(reply)
    if abs(true - threshold) < unsure:
        return Value.UNKNOWN, 0.0, ""
    return (Value.TRUE, true, "") if true >= threshold else (Value.FALSE, 1 - true, "")


def _probability(reply: Reply) -> float:
    """Return the probability of the first of two choices, from their log-probabilities."""
    first, second = reply.scores
    return 1 / (1 + math.exp(min(700.0, second - first)))
