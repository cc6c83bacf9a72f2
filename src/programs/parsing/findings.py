"""State of the parser: the steps, labels and diagnostics of a program so far."""

import re
from itertools import count

from src.programs.parsing.expression import Expression, replaced
from src.programs.program import Program, Step
from src.programs.records import Diagnostic, DiagnosticKind, Function

MOST_STEPS = 32
LABEL = "label"

_NUMBERED = re.compile(r"(?:fact|answer)_(\d{1,6})\b", re.IGNORECASE)


class Findings:
    """The steps, labels and diagnostics of a program. `last_line` is the line of diagnostics about missing parts."""

    def __init__(self, text: str, last_line: int) -> None:
        self.steps: list[Step] = []
        self._labels: list[tuple[Expression | None, int]] = []
        self._named: dict[str, tuple[Expression | None, int]] = {}  # Predict's values of other variables
        self._control = 0
        self._diagnostics: list[Diagnostic] = []
        self._fresh = count(1 + max((int(number) for number in _NUMBERED.findall(text)), default=0))
        self._last_line = last_line

    @property
    def has_label(self) -> bool:
        return bool(self._labels)

    @property
    def is_full(self) -> bool:
        """Return True if there are more steps than a program may have."""
        return len(self.steps) > MOST_STEPS

    def program(self) -> Program:
        labels = self._labels or list(self._named.values())
        if not labels or self._control:
            message = (
                "branches are not run, so that no line gives the label" if self._control else "no line gives the label"
            )
            self.say(DiagnosticKind.MISSING_PREDICT, self._control or self._last_line, message)
        for _, number in labels[1:]:
            self.say(DiagnosticKind.SEVERAL_LABELS, number, "a label stands before this one; the last one counts")
        label, number = labels[-1] if labels and not self._control else (None, 0)
        if label is not None:
            label = replaced(label, {name: tree for name, (tree, _) in self._named.items() if tree is not None})
        return Program(tuple(self.steps), label, number, tuple(self._diagnostics))

    def say(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self._diagnostics.append(Diagnostic(kind, line, message))

    def ignore(self, text: str, line: int) -> None:
        self.say(DiagnosticKind.IGNORED_LINE, line, f"no call of Question, Verify or Predict: {text.strip()[:60]}")

    def branch(self, text: str, line: int) -> None:
        """Record a line of control flow; the label is then unknown."""
        self._control = self._control or line
        self.ignore(text, line)

    def assign(self, target: str, tree: Expression | None, line: int) -> None:
        """Record the value of Predict for a variable, usually the label; None if it could not be read."""
        if target == LABEL:
            self._labels.append((tree, line))
        else:
            self._named[target] = (tree, line)

    def no_label(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self.say(kind, line, message)
        self.assign(LABEL, None, line)

    def hoist(self, function: Function, text: str, line: int) -> str:
        """Turn a call inside the label into a step, and return the variable of that step."""
        self.say(DiagnosticKind.NESTED_CALL, line, f"{function} stands in the label; it is a step of its own")
        variable = f"{'answer' if function is Function.QUESTION else 'fact'}_{next(self._fresh)}"
        self.steps.append(Step(variable, function, text, line))
        return variable
