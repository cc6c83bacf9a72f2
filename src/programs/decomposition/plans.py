"""Plan of a claim: facts that all hold, or of which one holds."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from src.programs.decomposition.phrases import Phrase


@dataclass(frozen=True)
class Fact:
    phrase: Phrase


@dataclass(frozen=True)
class All:
    parts: tuple["Plan", ...]


@dataclass(frozen=True)
class Any:
    parts: tuple["Plan", ...]


Plan: TypeAlias = Fact | All | Any


def facts(plan: Plan) -> list[Phrase]:
    """Return the phrases of the facts, in the order of verification."""
    return [plan.phrase] if isinstance(plan, Fact) else [phrase for part in plan.parts for phrase in facts(part)]


def mapped(plan: Plan, change: Callable[[Phrase], Phrase]) -> Plan:
    """Return the plan with `change` applied to each fact's phrase."""
    if isinstance(plan, Fact):
        return Fact(change(plan.phrase))
    parts = tuple(mapped(part, change) for part in plan.parts)
    return All(parts) if isinstance(plan, All) else Any(parts)


def all_of(*parts: Plan) -> Plan:
    """Return the conjunction of the plans, flattened; a single plan is returned as it is."""
    flat = [one for part in parts for one in (part.parts if isinstance(part, All) else (part,))]
    return flat[0] if len(flat) == 1 else All(tuple(flat))


def any_of(*parts: Plan) -> Plan:
    flat = [one for part in parts for one in (part.parts if isinstance(part, Any) else (part,))]
    return flat[0] if len(flat) == 1 else Any(tuple(flat))
