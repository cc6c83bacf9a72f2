"""Conversion of a plan into the steps and the label of a program."""

from collections.abc import Mapping

from src.programs.decomposition.phrases import Answer, Phrase, text_of
from src.programs.decomposition.plans import All, Fact, Plan
from src.programs.parsing.expression import And, Expression, Or, Variable
from src.programs.program import Step
from src.programs.records import Function


class Writer:
    """Builder of the steps; each question gets its number before the steps that use its answer."""

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
