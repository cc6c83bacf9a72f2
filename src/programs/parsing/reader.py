"""Parser of program texts as language models write them. It reads by position, executes nothing, and never raises.

Every repair, and everything that cannot be read, is a diagnostic with its line.
"""

import re
from difflib import get_close_matches

from src.programs.parsing.argument import CALL, SPECIAL, Argument, is_quoted, quoted, unclosed
from src.programs.parsing.control_flow import is_control_flow
from src.programs.parsing.expression import Variable
from src.programs.parsing.findings import LABEL, MOST_STEPS, Findings
from src.programs.parsing.label import NESTED, end_of_predict, of_variables, take_predict
from src.programs.parsing.resolution import PLACEHOLDER, resolved
from src.programs.parsing.source_lines import Line, closing, line_count, source_lines
from src.programs.program import Program, Step
from src.programs.records import Diagnostic, DiagnosticKind, Function

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
    """Return the program of any text; its label is None if it cannot be known."""
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
    """Record a line, or the rest after a semicolon, that is not a call. Return "": nothing is left to read."""
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
    """Read one call, and return the text after it and its semicolon."""
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
    """Return the end of the call whose parenthesis ends at `start`; the end of the text if it is not closed."""
    if name == "Predict" or not is_quoted(text, start):
        return end_of_predict(text, start)
    found = quoted(text, start)
    return found.end if found else len(text)


def _is_sure(name: str, text: str, start: int) -> bool:
    """Return True if a call without a variable is a call and not prose: it has a quoted text or an expression."""
    if name != "Predict":
        return quoted(text, start) is not None
    return of_variables(text[start : start + max(0, closing(text[start:]))]) is not None


def _take_label(findings: Findings, function: Function, text: str, start: int, line: int, *, goes_on: bool) -> None:
    """Read a label that is assigned from Question or Verify instead of Predict.

    With variables or an expression as argument it is read as Predict; with a text it becomes a step.
    """
    found = quoted(text, start)
    tree = of_variables(found.text.rstrip(".")) if found and PLACEHOLDER.search(found.text) else None
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
    found = quoted(text, start)
    if found is None and not is_quoted(text, start) and NESTED.match(text, start):
        findings.say(DiagnosticKind.PARSE_ERROR, line, "a call inside a call cannot be asked")
        return Argument("", len(text))
    found = found or unclosed(text, start)
    if not found.plain:
        findings.say(DiagnosticKind.ESCAPED_QUOTE, line, "the quote that opens the text has a backslash before it")
    if not found.closed:
        findings.say(DiagnosticKind.UNTERMINATED_STRING, line, "the text is not closed by the quote that opened it")
    if goes_on or not found.text:
        message = "the statement goes on behind the call" if goes_on else "the call has no text that can be read"
        findings.say(DiagnosticKind.PARSE_ERROR, line, message)
        return found._replace(text="")
    return found


def _after(rest: str) -> str:
    """Return the text after a call without separators; empty if it is a comment."""
    rest = _BETWEEN.sub("", rest, count=1)
    return "" if rest.startswith(("#", "//")) else rest
