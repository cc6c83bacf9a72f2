"""Behavior of a trace: values by gold label, programs without a value, model calls, classes of errors."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from src.claims.labelled import LabelledClaim
from src.programs.records import ClaimTrace, TwoLabel
from src.programs.scoring.error_classes import ErrorClass, error_class, only_verifies_whole
from src.programs.scoring.groups import by_hops
from src.records import Value


class Errors(msgspec.Struct, frozen=True):
    """The wrongly predicted claims of a group by class; those without any program are in no class."""

    wrong: int
    classes: dict[ErrorClass, int]


class Conduct(msgspec.Struct, frozen=True):
    """The behavior of a trace.

    `confusion[value][label]` counts claims, `unknown_programs` is a share of all programs, and `model_calls` is the
    mean over the claims. `errors` is by group, or None if every program only verifies the claim as a whole.
    """

    confusion: dict[Value, dict[TwoLabel, int]]
    programs: int
    unknown_programs: float
    model_calls: float
    errors: dict[str, Errors] | None


def conduct(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> Conduct:
    """Return the behavior of a trace; `traces` must be in the order of the claims."""
    pairs = list(zip(golds, traces, strict=True))
    programs = [program for trace in traces for program in trace.programs]
    unknown = sum(program.value is Value.UNKNOWN for program in programs)
    counts = Counter((trace.value, TwoLabel.of(gold.value)) for gold, trace in pairs)
    errors = {name: _errors([pairs[at] for at in places]) for name, places in by_hops(golds).items()}
    return Conduct(
        confusion={v: {TwoLabel.of(g): counts[v, TwoLabel.of(g)] for g in (Value.TRUE, Value.FALSE)} for v in Value},
        programs=len(programs),
        unknown_programs=unknown / max(1, len(programs)),
        model_calls=sum(trace.model_calls for trace in traces) / len(traces),
        errors=None if all(map(only_verifies_whole, traces)) else errors,
    )


def _errors(pairs: Sequence[tuple[LabelledClaim, ClaimTrace]]) -> Errors:
    wrong = [(gold, trace) for gold, trace in pairs if TwoLabel.of(trace.value) != TwoLabel.of(gold.value)]
    found = Counter(error_class(gold, trace) for gold, trace in wrong)
    return Errors(len(wrong), {one: found[one] for one in ErrorClass})
