"""A program's text as language models write it, read by position: never run, never compiled, never an exception.

Whatever is repaired or cannot be read is a diagnostic with its line.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import count

from src.programs import expression
from src.programs.argument import CALL, Argument, is_quoted, quoted, unclosed
from src.programs.expression import Expression, ExpressionError, Variable
from src.programs.program import Function, Program, Step
from src.programs.resolution import PLACEHOLDER, resolved
from src.programs.source_lines import Line, source_lines
from src.records import Diagnostic, DiagnosticKind

MOST_STEPS, MOST_BYTES, MOST_WRAPPED = 32, 20_000, 20

_NUMBERED = re.compile(r"(?:fact|answer)_(\d{1,6})\b", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\s*=(?!=)")
_NESTED = re.compile(r"\b(?P<function>question|verify)\s*\(", re.IGNORECASE)
_OPERATOR = re.compile(r"\s*(?:(?:and|or)\b|[&|=])", re.IGNORECASE)


def read_program(text: str) -> Program:
    """Every text has a program; where its label cannot be known, that is None."""
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        return _over(f"more than {MOST_BYTES} bytes", 1)
    found = _Reader(text)
    if len(found.steps) > MOST_STEPS:
        return _over(f"more than {MOST_STEPS} steps", found.steps[MOST_STEPS].line)
    return resolved(found.program())


def _over(message: str, line: int) -> Program:
    return Program((), None, 0, (Diagnostic(DiagnosticKind.LIMIT_EXCEEDED, line, message),))


class _Reader:
    def __init__(self, text: str) -> None:
        self.steps: list[Step] = []
        self._labels: list[tuple[Expression | None, int]] = []
        self._diagnostics: list[Diagnostic] = []
        self._fresh = count(1 + max((int(number) for number in _NUMBERED.findall(text)), default=0))
        self._last_line = text.count("\n") + 1
        for line in _whole_calls(list(source_lines(text))):
            self._line(line)

    def program(self) -> Program:
        if not self._labels:
            self._say(DiagnosticKind.MISSING_PREDICT, self._last_line, "no line gives the label")
        for _, number in self._labels[1:]:
            self._say(DiagnosticKind.SEVERAL_LABELS, number, "a label stands before this one; the last one counts")
        label, number = self._labels[-1] if self._labels else (None, 0)
        return Program(tuple(self.steps), label, number, tuple(self._diagnostics))

    def _say(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self._diagnostics.append(Diagnostic(kind, line, message))

    def _line(self, line: Line) -> None:
        rest = line.text
        while rest and len(self.steps) <= MOST_STEPS:
            call = CALL.match(rest)
            if call is None:
                if _ASSIGNMENT.match(rest):
                    self._say(
                        DiagnosticKind.PARSE_ERROR, line.number, f"neither Question, Verify nor Predict: {rest[:60]}"
                    )
                else:
                    self._say(DiagnosticKind.IGNORED_LINE, line.number, f"says nothing to the program: {rest[:60]}")
                return
            rest = _after(rest[self._call(call, rest, line.number) :])

    def _call(self, call: re.Match[str], text: str, line: int) -> int:
        """Reads one call; the answer is where it ends."""
        name = call["function"].capitalize()
        if name != call["function"]:
            self._say(DiagnosticKind.FUNCTION_CASE, line, f"{call['function']} is written {name}")
        target = call["target"].lower() if call["target"] else None
        if target is None:
            self._say(DiagnosticKind.UNASSIGNED_CALL, line, f"the value of this {name} is assigned to no variable")
        if name == "Predict":
            return self._predict(text, call.end(), line)
        if target == "label":
            return self._label_by(Function(name), text, call.end(), line)
        argument = self._argument(text, call.end(), line)
        self.steps.append(Step(target, Function(name), argument.text, line))
        return argument.end

    def _argument(self, text: str, start: int, line: int) -> Argument:
        found = quoted(text, start)
        if found is None and not is_quoted(text, start) and _NESTED.match(text, start):
            self._say(DiagnosticKind.NESTED_CALL, line, "a call inside a text cannot be asked")
            return Argument("", len(text))
        found = found or unclosed(text, start)
        if not found.plain:
            self._say(DiagnosticKind.ESCAPED_QUOTE, line, "the quote that opens the text has a backslash before it")
        if not found.closed:
            self._say(DiagnosticKind.UNTERMINATED_STRING, line, "the text is not closed by the quote that opened it")
        if not found.text:
            self._say(DiagnosticKind.PARSE_ERROR, line, "the call has no text")
        return found

    def _label_by(self, function: Function, text: str, start: int, line: int) -> int:
        """A label that is no Predict: of a variable or an expression it is meant as one, of a text it is a step."""
        found = quoted(text, start)
        name = PLACEHOLDER.fullmatch(found.text.rstrip(".")) if found else None
        if found and name:
            self._say(DiagnosticKind.LABEL_BY_VERIFY, line, f"{function} of a variable is read as Predict")
            self._labels.append((Variable(name[1].lower()), line))
            return found.end
        if not is_quoted(text, start):
            self._say(DiagnosticKind.LABEL_BY_VERIFY, line, f"{function} of variables is read as Predict")
            return self._predict(text, start, line)
        argument = self._argument(text, start, line)
        self._labels.append((Variable(self._hoisted(function, argument.text, line)), line))
        return argument.end

    def _hoisted(self, function: Function, text: str, line: int) -> str:
        self._say(DiagnosticKind.NESTED_CALL, line, f"{function} stands in the label; it is a step of its own")
        variable = f"{'answer' if function is Function.QUESTION else 'fact'}_{next(self._fresh)}"
        self.steps.append(Step(variable, function, text, line))
        return variable

    def _predict(self, text: str, start: int, line: int) -> int:
        rest = self._without_calls(text[start:], line)
        end = _closing(rest)
        try:
            if end < 0:
                raise ExpressionError(DiagnosticKind.PARSE_ERROR, "the parenthesis of Predict is not closed")
            if _OPERATOR.match(rest, end + 1):
                raise ExpressionError(DiagnosticKind.UNSUPPORTED_EXPRESSION, "the label goes on after Predict")
            label = expression.parse(rest[:end])
        except ExpressionError as error:
            self._say(error.kind, line, str(error))
            self._labels.append((None, line))
            return len(text)
        self._labels.append((label, line))
        return len(text) - (len(rest) - end - 1)

    def _without_calls(self, text: str, line: int) -> str:
        """Calls in an expression become steps, and variables take their places."""
        while len(self.steps) <= MOST_STEPS and (call := _NESTED.search(text)):
            argument = quoted(text, call.end(), in_expression=True)
            if argument is None:
                return text
            variable = self._hoisted(Function(call["function"].capitalize()), argument.text, line)
            text = f"{text[: call.start()]}{variable}{text[argument.end :]}"
        return text


def _after(rest: str) -> str:
    """What stands after a call and its comment."""
    rest = rest.lstrip(" .,;`")
    return "" if rest.startswith("#") else rest


def _closing(text: str) -> int:
    """Where the parenthesis closes that was opened before the text; -1 where it does not."""
    depth = 1
    for found in re.finditer(r"[()]", text):
        depth += 1 if found[0] == "(" else -1
        if depth == 0:
            return found.start()
    return -1


def _whole_calls(lines: Sequence[Line | None]) -> Iterator[Line]:
    """A call that goes on over further lines is one line; one that is never closed is left as it is."""
    place = 0
    while place < len(lines):
        line = lines[place]
        place += 1
        if line is None:
            continue
        text, taken = line.text, place
        while not _is_whole(text) and taken < len(lines) and taken - place < MOST_WRAPPED:
            further = lines[taken]
            if further is None or CALL.match(further.text):
                break
            text, taken = f"{text} {further.text}", taken + 1
        if taken > place and _is_whole(text):
            line, place = Line(line.number, text), taken
        yield line


def _is_whole(text: str) -> bool:
    call = CALL.match(text)
    if call is None:
        return True
    if is_quoted(text, call.end()):
        return quoted(text, call.end()) is not None
    return _closing(text[call.end() :]) >= 0
