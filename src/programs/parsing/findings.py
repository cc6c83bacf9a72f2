"""What has been read of a program so far: its steps, what gives its label, and what there is to say of it."""

import re
from itertools import count

from src.programs.parsing.expression import Expression, replaced
from src.programs.program import Program, Step
from src.programs.records import Diagnostic, DiagnosticKind, Function

MOST_STEPS = 32
LABEL = "label"

_NUMBERED = re.compile(r"(?:fact|answer)_(\d{1,6})\b", re.IGNORECASE)


class Findings:
    """`last_line` is that of the text; what is missing is said to be missing there."""

    def __init__(self, text: str, last_line: int) -> None:
        self.steps: list[Step] = []
        self._labels: list[tuple[Expression | None, int]] = []
        self._named: dict[str, tuple[Expression | None, int]] = {}  # what Predict gave other variables than the label
        self._control = 0
        self._diagnostics: list[Diagnostic] = []
        self._fresh = count(1 + max((int(number) for number in _NUMBERED.findall(text)), default=0))
        self._last_line = last_line

    @property
    def has_label(self) -> bool:
        return bool(self._labels)

    @property
    def is_full(self) -> bool:
        """Whether there are more steps than a program may have."""
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
        """A line of control flow: with one the label cannot be known."""
        self._control = self._control or line
        self.ignore(text, line)

    def assign(self, target: str, tree: Expression | None, line: int) -> None:
        """What Predict gave a variable, most often the label; None where that could not be read."""
        if target == LABEL:
            self._labels.append((tree, line))
        else:
            self._named[target] = (tree, line)

    def no_label(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self.say(kind, line, message)
        self.assign(LABEL, None, line)

    def hoist(self, function: Function, text: str, line: int) -> str:
        """Makes a call in the label a step of its own; the answer is its variable."""
        self.say(DiagnosticKind.NESTED_CALL, line, f"{function} stands in the label; it is a step of its own")
        variable = f"{'answer' if function is Function.QUESTION else 'fact'}_{next(self._fresh)}"
        self.steps.append(Step(variable, function, text, line))
        return variable
