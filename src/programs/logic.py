"""The four values of a program, and what not, and, or make of them.

And is the least in the order false < conflicting < unknown < true; or follows by De Morgan. What is unknown or
conflicting stays so until a false conjunct or a true alternative decides.

But: absorption and distributivity fail where unknown meets conflicting, so no expression is ever simplified.
"""

from collections.abc import Iterable

from src.records import Value

_ORDER = (Value.FALSE, Value.CONFLICTING, Value.UNKNOWN, Value.TRUE)
_NEGATED = {Value.TRUE: Value.FALSE, Value.FALSE: Value.TRUE}


def negation(value: Value) -> Value:
    return _NEGATED.get(value, value)


def conjunction(values: Iterable[Value]) -> Value:
    """True for none."""
    return min(values, key=_ORDER.index, default=Value.TRUE)


def disjunction(values: Iterable[Value]) -> Value:
    """False for none."""
    return negation(conjunction(map(negation, values)))
