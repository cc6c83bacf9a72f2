"""Four-valued logic of programs: not, and, or.

The order is false < conflicting < unknown < true. "And" is the minimum; "or" follows by De Morgan. Unknown and
conflicting values are kept unless a false conjunct or a true disjunct decides.

Limitations: absorption and distributivity do not hold when unknown meets conflicting. Expressions are therefore never
simplified.
"""

from collections.abc import Iterable

from src.records import Value

_ORDER = (Value.FALSE, Value.CONFLICTING, Value.UNKNOWN, Value.TRUE)
_NEGATED = {Value.TRUE: Value.FALSE, Value.FALSE: Value.TRUE}


def negation(value: Value) -> Value:
    return _NEGATED.get(value, value)


def conjunction(values: Iterable[Value]) -> Value:
    """Return the conjunction of the values; true for no values."""
    return min(values, key=_ORDER.index, default=Value.TRUE)


def disjunction(values: Iterable[Value]) -> Value:
    """Return the disjunction of the values; false for no values."""
    return negation(conjunction(map(negation, values)))
