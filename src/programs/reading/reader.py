"""A program's text as language models write it, read by position: never run, never compiled, never an exception.

Whatever is repaired or cannot be read is a diagnostic with its line.
"""

import re
from itertools import count

from src.programs.program import Function, Program, Step
from src.programs.reading import expression
from src.programs.reading.argument import CALL, SPECIAL, Argument, is_quoted, quoted, unclosed
from src.programs.reading.control_flow import is_control_flow
from src.programs.reading.expression import Expression, ExpressionError, Variable, replaced
from src.programs.reading.resolution import PLACEHOLDER, resolved
from src.programs.reading.source_lines import Line, closing, line_count, source_lines
from src.programs.records import Diagnostic, DiagnosticKind

MOST_STEPS, MOST_BYTES = 32, 20_000
LABEL = "label"

_NUMBERED = re.compile(r"(?:fact|answer)_(\d{1,6})\b", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_NESTED = re.compile(r"\b(?P<function>question|verify)\s*\(", re.IGNORECASE)
_NESTED_OR_PARENTHESIS = re.compile(rf"{_NESTED.pattern}|[()]", re.IGNORECASE)
_IN_QUOTES = re.compile(r"""\s*[fF]?(["'])([^"']*)\1\s*""")
_ENDS = re.compile(rf"[\s.,`]*(?:$|\#|//|;|{SPECIAL.pattern})")
_BETWEEN = re.compile(rf"^(?:[ .,;`]|{SPECIAL.pattern})*")
_CODE = re.compile(
    r"\s*(?:[=!<>+*/%^&|?\[(-]|\.\s*\w|(?:is|and|or|not|in|if|else)\b|,?\s*(?:question|verify|predict)\s*\()",
    re.IGNORECASE,
)


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
        self._named: dict[str, tuple[Expression | None, int]] = {}  # what Predict gave other variables than the label
        self._control = 0
        self._diagnostics: list[Diagnostic] = []
        self._fresh = count(1 + max((int(number) for number in _NUMBERED.findall(text)), default=0))
        self._last_line = line_count(text)
        for line in source_lines(text):
            self._line(line)

    def program(self) -> Program:
        labels = self._labels or list(self._named.values())
        if not labels or self._control:
            message = (
                "branches are not run, so that no line gives the label" if self._control else "no line gives the label"
            )
            self._say(DiagnosticKind.MISSING_PREDICT, self._control or self._last_line, message)
        for _, number in labels[1:]:
            self._say(DiagnosticKind.SEVERAL_LABELS, number, "a label stands before this one; the last one counts")
        label, number = labels[-1] if labels and not self._control else (None, 0)
        if label is not None:
            label = replaced(label, {name: tree for name, (tree, _) in self._named.items() if tree is not None})
        return Program(tuple(self.steps), label, number, tuple(self._diagnostics))

    def _say(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self._diagnostics.append(Diagnostic(kind, line, message))

    def _ignore(self, text: str, line: int) -> None:
        self._say(DiagnosticKind.IGNORED_LINE, line, f"no call of Question, Verify or Predict: {text.strip()[:60]}")

    def _line(self, line: Line) -> None:
        rest = line.text
        while rest and len(self.steps) <= MOST_STEPS:
            call = CALL.match(rest)
            if call is None:
                return self._other(rest, line.number)
            rest = self._call(call, rest, line.number)
        return None

    def _other(self, text: str, line: int) -> None:
        """A line, or what stands behind a semicolon, that is no call."""
        assigned = _ASSIGNMENT.match(text)
        if is_control_flow(text):
            self._control = self._control or line
            self._ignore(text, line)
        elif assigned and assigned[1].lower() == LABEL:
            self._no_label(DiagnosticKind.PARSE_ERROR, "the label is given by Predict alone", line)
        elif assigned:
            self._say(DiagnosticKind.PARSE_ERROR, line, f"neither Question, Verify nor Predict: {text[:60]}")
        else:
            self._ignore(text, line)

    def _no_label(self, kind: DiagnosticKind, message: str, line: int) -> None:
        self._say(kind, line, message)
        self._labels.append((None, line))

    def _call(self, call: re.Match[str], text: str, line: int) -> str:
        """Reads one call; the answer is what stands behind it and its semicolon."""
        name = call["function"].capitalize()
        target = call["target"].lower() if call["target"] else None
        end = self._end(name, text, call.end())
        after = text[end:]
        is_prose = not _ENDS.match(after) and not _CODE.match(after)
        if (is_prose and (self._labels or target is None)) or (target is None and not _is_sure(name, text, call.end())):
            self._ignore(text, line)
            return ""
        if name != call["function"]:
            self._say(DiagnosticKind.FUNCTION_CASE, line, f"{call['function']} is written {name}")
        if target is None:
            self._say(DiagnosticKind.UNASSIGNED_CALL, line, f"the value of this {name} is assigned to no variable")
        goes_on = not _ENDS.match(after) and bool(_CODE.match(after))
        if name == "Predict":
            self._predict(target or LABEL, text[call.end() : end], line, goes_on=goes_on)
        elif target == LABEL:
            self._label_by(Function(name), text[:end], call.end(), line, goes_on=goes_on)
        else:
            argument = self._argument(text, call.end(), line, goes_on=goes_on)
            self.steps.append(Step(target, Function(name), argument.text, line))
        if is_prose:
            self._ignore(after, line)
        return "" if is_prose or goes_on else _after(after)

    def _end(self, name: str, text: str, start: int) -> int:
        """Where the call ends that begins at `start`; the end of the text where it is not closed."""
        if name != "Predict" and is_quoted(text, start):
            found = quoted(text, start)
            return found.end if found else len(text)
        closed = _closed(text, start)
        return closed if closed >= 0 else len(text)

    def _argument(self, text: str, start: int, line: int, *, goes_on: bool) -> Argument:
        found = quoted(text, start)
        if found is None and not is_quoted(text, start) and _NESTED.match(text, start):
            self._say(DiagnosticKind.PARSE_ERROR, line, "a call inside a call cannot be asked")
            return Argument("", len(text))
        found = found or unclosed(text, start)
        if not found.plain:
            self._say(DiagnosticKind.ESCAPED_QUOTE, line, "the quote that opens the text has a backslash before it")
        if not found.closed:
            self._say(DiagnosticKind.UNTERMINATED_STRING, line, "the text is not closed by the quote that opened it")
        if goes_on or not found.text:
            message = "the statement goes on behind the call" if goes_on else "the call has no text that can be read"
            self._say(DiagnosticKind.PARSE_ERROR, line, message)
            return found._replace(text="")
        return found

    def _label_by(self, function: Function, text: str, start: int, line: int, *, goes_on: bool) -> None:
        """A label that is no Predict: of a variable or an expression it is meant as one, of a text it is a step."""
        found = quoted(text, start)
        if found and not goes_on and _is_expression(found.text.rstrip(".")) and PLACEHOLDER.search(found.text):
            self._say(DiagnosticKind.LABEL_BY_VERIFY, line, f"{function} of variables is read as Predict")
            self._labels.append((_expression(found.text.rstrip(".")), line))
        elif not is_quoted(text, start):
            self._say(DiagnosticKind.LABEL_BY_VERIFY, line, f"{function} of variables is read as Predict")
            self._predict(LABEL, text[start:], line, goes_on=goes_on)
        elif goes_on:
            self._no_label(DiagnosticKind.UNSUPPORTED_EXPRESSION, "the label goes on behind the call", line)
        else:
            argument = self._argument(text, start, line, goes_on=False)
            self._labels.append((Variable(self._hoisted(function, argument.text, line)), line))

    def _hoisted(self, function: Function, text: str, line: int) -> str:
        self._say(DiagnosticKind.NESTED_CALL, line, f"{function} stands in the label; it is a step of its own")
        variable = f"{'answer' if function is Function.QUESTION else 'fact'}_{next(self._fresh)}"
        self.steps.append(Step(variable, function, text, line))
        return variable

    def _predict(self, target: str, text: str, line: int, *, goes_on: bool) -> None:
        rest = self._without_calls(text, line)
        end = closing(rest)
        try:
            if end < 0:
                raise ExpressionError(DiagnosticKind.PARSE_ERROR, "the parenthesis of Predict is not closed")
            if goes_on:
                raise ExpressionError(DiagnosticKind.UNSUPPORTED_EXPRESSION, "the label goes on behind Predict")
            label: Expression | None = _expression(rest[:end])
        except ExpressionError as error:
            self._say(error.kind, line, str(error))
            label = None
        if target == LABEL:
            self._labels.append((label, line))
        else:
            self._named[target] = (label, line)

    def _without_calls(self, text: str, line: int) -> str:
        """Calls in an expression become steps, and variables take their places."""
        while len(self.steps) <= MOST_STEPS and (call := _NESTED.search(text)):
            argument = quoted(text, call.end(), in_expression=True)
            if argument is None:
                return text
            variable = self._hoisted(Function(call["function"].capitalize()), argument.text, line)
            text = f"{text[: call.start()]}{variable}{text[argument.end :]}"
        return text


def _is_sure(name: str, text: str, start: int) -> bool:
    """Whether a call without a variable is one, and no prose: it has a text in quotes, or an expression."""
    if name != "Predict":
        return quoted(text, start) is not None
    return _is_expression(text[start : start + max(0, closing(text[start:]))])


def _expression(text: str) -> Expression:
    """Also of one that is written as a text, in quotes or with variables in braces. Raises ExpressionError."""
    written = _IN_QUOTES.fullmatch(text)
    return expression.parse(PLACEHOLDER.sub(r" \1 ", written[2] if written else text))


def _is_expression(text: str) -> bool:
    try:
        _expression(text)
    except ExpressionError:
        return False
    return True


def _closed(text: str, start: int) -> int:
    """The place after the parenthesis that closes what opened at `start`, texts of nested calls aside; -1: none."""
    depth, place, calls = 1, start, 0
    while depth and (found := _NESTED_OR_PARENTHESIS.search(text, place)):
        place, nested = found.end(), None
        if found["function"] and calls <= MOST_STEPS:
            calls += 1
            nested = quoted(text, place, in_expression=True)
        if nested:
            place = nested.end
        else:
            depth += -1 if found[0] == ")" else 1
    return -1 if depth else place


def _after(rest: str) -> str:
    """What stands behind a call and its comment."""
    rest = _BETWEEN.sub("", rest, count=1)
    return "" if rest.startswith(("#", "//")) else rest
