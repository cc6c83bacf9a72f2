"""Plan of a claim, a tree: facts that must all hold, or of which one must hold; and the program that it becomes.

A split is recorded as the index (from 0) of a word in the claim: the head of a clause, of a list or of a separate
sentence, or a noun that a question asks for.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from src.programs.decomposition.phrases import Answer, Phrase, text_of
from src.programs.parsing.expression import And, Expression, Or, Step, Variable
from src.programs.records import Function

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_UNSPLIT, _SPLIT = "unsplit_indexes", "split_indexes"  # in a parsed claim's user_data


def reset_splits(claim: "Doc", unsplit: Iterable[int]) -> None:
    """Reset the recorded splits of a claim, and forbid splits at the words with the indexes (from 0) `unsplit`."""
    claim.user_data[_UNSPLIT], claim.user_data[_SPLIT] = frozenset(unsplit), set()


def is_unsplit(word: "Token") -> bool:
    """Return True if the claim must not be split at this word."""
    return word.i in word.doc.user_data[_UNSPLIT]


def record_split(word: "Token") -> None:
    """Record that the claim was split at this word, for `splits_of`."""
    word.doc.user_data[_SPLIT].add(word.i)


def splits_of(claim: "Doc") -> frozenset[int]:
    """Return the indexes of the words at which the last plan split the claim."""
    return frozenset(claim.user_data[_SPLIT])


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
    """Return the phrases of all facts in the plan, in the order of verification."""
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


class Writer:
    """Builder of the steps of a program. Each question gets its number before the steps that use its answer."""

    def __init__(self, asides: Mapping[int, str]) -> None:
        self.steps: list[Step] = []
        self._asides = dict(asides)
        self._names: dict[Answer, str] = {}

    def label(self, plan: Plan) -> Expression:
        if isinstance(plan, Fact):
            return Variable(self._fact(plan.phrase))
        parts = tuple(dict.fromkeys(self.label(part) for part in plan.parts))
        if len(parts) == 1:
            return parts[0]
        return And(parts) if isinstance(plan, All) else Or(parts)

    def _fact(self, phrase: Phrase) -> str:
        text = text_of(phrase, self._named, self._asides)
        for step in self.steps:
            if step.text == text:
                return str(step.variable)
        count = sum(step.function is Function.VERIFY for step in self.steps)
        return self._add(f"fact_{count + 1}", Function.VERIFY, text)

    def _named(self, answer: Answer) -> str:
        if answer not in self._names:
            text = text_of(answer.question, self._named, self._asides, end="?")
            self._names[answer] = self._add(f"answer_{len(self._names) + 1}", Function.QUESTION, text)
        return f"{{{self._names[answer]}}}"

    def _add(self, name: str, function: Function, text: str) -> str:
        self.steps.append(Step(name, function, text, len(self.steps) + 1))
        return name
