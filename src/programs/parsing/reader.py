"""Parser of program texts as language models write them. It executes nothing, and never raises an error.

Every repair, and everything that cannot be read, becomes a diagnostic with its line. Calls that are nested in Predict's
argument become separate steps.
"""

import re
from difflib import get_close_matches
from itertools import count

from src.programs.parsing import expression
from src.programs.parsing.expression import Expression, ExpressionError, Program, Step, Variable, replaced
from src.programs.parsing.resolution import PLACEHOLDER, resolved
from src.programs.parsing.source_lines import (
    CALL,
    SPECIAL,
    Argument,
    Line,
    closing,
    is_control_flow,
    is_quoted,
    line_count,
    quoted,
    source_lines,
    unclosed,
)
from src.programs.records import Diagnostic, DiagnosticKind, Function

MOST_STEPS = 32
LABEL = "label"

_NUMBERED = re.compile(r"(?:fact|answer)_(\d{1,6})\b", re.IGNORECASE)


class Findings:
    """Collector of the steps, labels and diagnostics of a program while its lines are read.

    A label is what Predict is called with. `last_line` is the number of the last line, for diagnostics about missing
    parts.
    """

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
        """Return the program of all that was collected, with diagnostics about a missing label or several labels."""
        labels = self._labels or list(self._named.values())
        if not labels or self._control:
            message = (
                "branches are not run, so that no line gives the label" if self._control else "no line gives the label"
            )
            self.say(DiagnosticKind.MISSING_PREDICT, self._control or self._last_line, message)
        for _, number in labels[1:]:
            self.say(DiagnosticKind.SEVERAL_LABELS, number, "there is a label before this one; the last one counts")
        label, number = labels[-1] if labels and not self._control else (None, 0)
        if label is not None:
            label = replaced(label, {name: tree for name, (tree, _) in self._named.items() if tree is not None})
        return Program(tuple(self.steps), label, number, tuple(self._diagnostics))

    def say(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self._diagnostics.append(Diagnostic(kind, line, message))

    def ignore(self, text: str, line: int) -> None:
        self.say(DiagnosticKind.IGNORED_LINE, line, f"no call of Question, Verify or Predict: {text.strip()[:60]}")

    def branch(self, text: str, line: int) -> None:
        """Record a line of control flow, such as `if`, which is not executed.

        The label of the program is then unknown.
        """
        self._control = self._control or line
        self.ignore(text, line)

    def assign(self, target: str, tree: Expression | None, line: int) -> None:
        """Record the expression that Predict assigns to the variable `target`, usually `label`; None if it could not be
        read.
        """
        if target == LABEL:
            self._labels.append((tree, line))
        else:
            self._named[target] = (tree, line)

    def no_label(self, kind: DiagnosticKind, line: int, message: str) -> None:
        self.say(kind, line, message)
        self.assign(LABEL, None, line)

    def hoist(self, function: Function, text: str, line: int) -> str:
        """Add a step for a call that is nested in the label, and return the new variable of this step."""
        self.say(DiagnosticKind.NESTED_CALL, line, f"{function} is nested in the label; it becomes a step")
        variable = f"{'answer' if function is Function.QUESTION else 'fact'}_{next(self._fresh)}"
        self.steps.append(Step(variable, function, text, line))
        return variable


NESTED = re.compile(r"\b(?P<function>question|verify)\s*\(", re.IGNORECASE)
_NESTED_OR_PARENTHESIS = re.compile(rf"{NESTED.pattern}|[()]", re.IGNORECASE)
_IN_QUOTES = re.compile(r"""\s*[fF]?(["'])([^"']*)\1\s*""")


def take_predict(findings: Findings, target: str, text: str, line: int, *, goes_on: bool) -> None:
    """Read a call of Predict and record its expression for the variable `target`.

    `text` begins after the opening parenthesis of the call; `goes_on` is True if code follows the call on its line.
    """
    rest = _without_calls(findings, text, line)
    end = closing(rest)
    try:
        if end < 0:
            raise ExpressionError(DiagnosticKind.PARSE_ERROR, "the parenthesis of Predict is not closed")
        if goes_on:
            raise ExpressionError(DiagnosticKind.UNSUPPORTED_EXPRESSION, "the label goes on behind Predict")
        findings.assign(target, _parsed(rest[:end]), line)
    except ExpressionError as error:
        findings.say(error.kind, line, str(error))
        findings.assign(target, None, line)


def _without_calls(findings: Findings, text: str, line: int) -> str:
    """Return the text of an expression with each nested call replaced by the variable of a new step."""
    while not findings.is_full and (call := NESTED.search(text)):
        argument = quoted(text, call.end(), in_expression=True)
        if argument is None:
            return text
        variable = findings.hoist(Function(call["function"].capitalize()), argument.text, line)
        text = f"{text[: call.start()]}{variable}{text[argument.end :]}"
    return text


def of_variables(text: str) -> Expression | None:
    """Return the expression of variables in the text, which may be in quotes and have braces; None if it has another
    form.
    """
    try:
        return _parsed(text)
    except ExpressionError:
        return None


def _parsed(text: str) -> Expression:
    written = _IN_QUOTES.fullmatch(text)
    return expression.parse(PLACEHOLDER.sub(r" \1 ", written[2] if written else text))


def end_of_predict(text: str, start: int) -> int:
    """Return the index in the text after the closing parenthesis of a call; the end of the text if the call is not
    closed.

    `start` is the index after the opening parenthesis. Parentheses in the quoted texts of nested calls do not count.
    """
    depth, place, calls = 1, start, 0
    while depth and (match := _NESTED_OR_PARENTHESIS.search(text, place)):
        place, nested = match.end(), None
        if match["function"] and calls <= MOST_STEPS:
            calls += 1
            nested = quoted(text, place, in_expression=True)
        if nested:
            place = nested.end
        else:
            depth += -1 if match[0] == ")" else 1
    return len(text) if depth else place


MOST_BYTES = 20_000

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)\s*=(?!=)")
_CALLED = re.compile(rf"{_ASSIGNMENT.pattern}\s*([A-Za-z]{{1,20}})\s*\(")
_FUNCTIONS = (*Function, "Predict")
_ENDS = re.compile(rf"[\s.,`]*(?:$|\#|//|;|{SPECIAL.pattern})")
_BETWEEN = re.compile(rf"^(?:[ .,;`]|{SPECIAL.pattern})*")
_CODE = re.compile(
    r"\s*(?:[=!<>+*/%^&|?\[(-]|\.\s*\w|(?:is|and|or|not|in|if|else)\b|,?\s*(?:question|verify|predict)\s*\()",
    re.IGNORECASE,
)


def read_program(text: str) -> Program:
    """Return the parsed program of any text.

    Its label is None if it cannot be read; a text over the limits of size gives a program without steps.
    """
    if len(text.encode("utf-8", "replace")) > MOST_BYTES:
        return _over(f"more than {MOST_BYTES} bytes", 1)
    findings = Findings(text, line_count(text))
    for line in source_lines(text):
        _take_line(findings, line)
    if findings.is_full:
        return _over(f"more than {MOST_STEPS} steps", findings.steps[MOST_STEPS].line)
    return resolved(findings.program())


def _over(message: str, line: int) -> Program:
    return Program((), None, 0, (Diagnostic(DiagnosticKind.LIMIT_EXCEEDED, line, message),))


def _take_line(findings: Findings, line: Line) -> None:
    rest = line.text
    while rest and not findings.is_full:
        call = CALL.match(rest)
        rest = _take_call(findings, call, rest, line.number) if call else _take_other(findings, rest, line.number)


def _take_other(findings: Findings, text: str, line: int) -> str:
    """Record a text that is not a call, as a diagnostic; return "", because nothing of the line is left to read.

    The text is a whole line, or what follows a semicolon.
    """
    assigned = _ASSIGNMENT.match(text)
    if is_control_flow(text):
        findings.branch(text, line)
    elif assigned and assigned[1].lower() == LABEL:
        findings.no_label(DiagnosticKind.PARSE_ERROR, line, "the label is given by Predict alone")
    elif assigned:
        findings.say(DiagnosticKind.PARSE_ERROR, line, f"{_no_function(text)}: {text[:60]}")
    else:
        findings.ignore(text, line)
    return ""


def _no_function(text: str) -> str:
    called = _CALLED.match(text)
    meant = get_close_matches(called[2].capitalize(), _FUNCTIONS, n=1) if called else []
    return ", perhaps ".join(["neither Question, Verify nor Predict", *meant])


def _take_call(findings: Findings, call: re.Match[str], text: str, line: int) -> str:
    """Read one call and record it. Return what follows the call and its semicolon on the line, to be read next."""
    name = call["function"].capitalize()
    target = call["target"].lower() if call["target"] else None
    end = _end(name, text, call.end())
    after = text[end:]
    goes_on = not _ENDS.match(after) and bool(_CODE.match(after))
    is_prose = not goes_on and not _ENDS.match(after)
    is_unsure = target is None and not _is_sure(name, text, call.end())
    if is_unsure or (is_prose and (findings.has_label or target is None)):
        findings.ignore(text, line)
        return ""
    if name != call["function"]:
        findings.say(DiagnosticKind.FUNCTION_CASE, line, f"{call['function']} is written {name}")
    if target is None:
        findings.say(DiagnosticKind.UNASSIGNED_CALL, line, f"the value of this {name} is assigned to no variable")
    if name == "Predict":
        take_predict(findings, target or LABEL, text[call.end() : end], line, goes_on=goes_on)
    elif target == LABEL:
        _take_label(findings, Function(name), text[:end], call.end(), line, goes_on=goes_on)
    else:
        argument = _argument(findings, text, call.end(), line, goes_on=goes_on)
        findings.steps.append(Step(target, Function(name), argument.text, line))
    if is_prose:
        findings.ignore(after, line)
    return "" if is_prose or goes_on else _after(after)


def _end(name: str, text: str, start: int) -> int:
    """Return the index in the text after a call of the function `name`; the end of the text if the call is not closed.

    `start` is the index after its opening parenthesis.
    """
    if name == "Predict" or not is_quoted(text, start):
        return end_of_predict(text, start)
    argument = quoted(text, start)
    return argument.end if argument else len(text)


def _is_sure(name: str, text: str, start: int) -> bool:
    """Return True if what looks like a call is one and not prose: its argument is a quoted text or an expression.

    It is asked for calls that are assigned to no variable. `start` is the index after the opening parenthesis.
    """
    if name != "Predict":
        return quoted(text, start) is not None
    return of_variables(text[start : start + max(0, closing(text[start:]))]) is not None


def _take_label(findings: Findings, function: Function, text: str, start: int, line: int, *, goes_on: bool) -> None:
    """Read a line that assigns `label` from Question or Verify instead of Predict.

    An argument that is an expression of variables is read like that of Predict. A text becomes a step, and its variable
    the label.
    """
    content = quoted(text, start)
    tree = of_variables(content.text.rstrip(".")) if content and PLACEHOLDER.search(content.text) else None
    if tree and not goes_on:
        findings.say(DiagnosticKind.LABEL_BY_VERIFY, line, f"{function} of variables is read as Predict")
        findings.assign(LABEL, tree, line)
    elif not is_quoted(text, start):
        findings.say(DiagnosticKind.LABEL_BY_VERIFY, line, f"{function} of variables is read as Predict")
        take_predict(findings, LABEL, text[start:], line, goes_on=goes_on)
    elif goes_on:
        findings.no_label(DiagnosticKind.UNSUPPORTED_EXPRESSION, line, "the label goes on behind the call")
    else:
        argument = _argument(findings, text, start, line, goes_on=False)
        findings.assign(LABEL, Variable(findings.hoist(function, argument.text, line)), line)


def _argument(findings: Findings, text: str, start: int, line: int, *, goes_on: bool) -> Argument:
    argument = quoted(text, start)
    if argument is None and not is_quoted(text, start) and NESTED.match(text, start):
        findings.say(DiagnosticKind.PARSE_ERROR, line, "a call inside a call cannot be asked")
        return Argument("", len(text))
    argument = argument or unclosed(text, start)
    if not argument.plain:
        findings.say(DiagnosticKind.ESCAPED_QUOTE, line, "the quote that opens the text has a backslash before it")
    if not argument.closed:
        findings.say(DiagnosticKind.UNTERMINATED_STRING, line, "the text is not closed by the quote that opened it")
    if goes_on or not argument.text:
        message = "the statement goes on behind the call" if goes_on else "the call has no text that can be read"
        findings.say(DiagnosticKind.PARSE_ERROR, line, message)
        return argument._replace(text="")
    return argument


def _after(rest: str) -> str:
    """Return what follows a call, without separators; empty if it is a comment."""
    rest = _BETWEEN.sub("", rest, count=1)
    return "" if rest.startswith(("#", "//")) else rest
