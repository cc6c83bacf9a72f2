"""What Predict is given: an expression, in which calls may stand; these become steps of their own."""

import re

from src.programs.parsing import expression
from src.programs.parsing.argument import quoted
from src.programs.parsing.expression import Expression, ExpressionError
from src.programs.parsing.findings import MOST_STEPS, Findings
from src.programs.parsing.resolution import PLACEHOLDER
from src.programs.parsing.source_lines import closing
from src.programs.records import DiagnosticKind, Function

NESTED = re.compile(r"\b(?P<function>question|verify)\s*\(", re.IGNORECASE)
_NESTED_OR_PARENTHESIS = re.compile(rf"{NESTED.pattern}|[()]", re.IGNORECASE)
_IN_QUOTES = re.compile(r"""\s*[fF]?(["'])([^"']*)\1\s*""")


def take_predict(findings: Findings, target: str, text: str, line: int, *, goes_on: bool) -> None:
    """`text` stands behind the opening parenthesis; `goes_on`: code follows the call."""
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
    """Calls in an expression become steps, and variables take their places."""
    while not findings.is_full and (call := NESTED.search(text)):
        argument = quoted(text, call.end(), in_expression=True)
        if argument is None:
            return text
        variable = findings.hoist(Function(call["function"].capitalize()), argument.text, line)
        text = f"{text[: call.start()]}{variable}{text[argument.end :]}"
    return text


def of_variables(text: str) -> Expression | None:
    """The expression that a text is, which may stand in quotes, its variables in braces; None where it is none."""
    try:
        return _parsed(text)
    except ExpressionError:
        return None


def _parsed(text: str) -> Expression:
    written = _IN_QUOTES.fullmatch(text)
    return expression.parse(PLACEHOLDER.sub(r" \1 ", written[2] if written else text))


def end_of_predict(text: str, start: int) -> int:
    """The place after the parenthesis that closes what opened at `start`, texts of nested calls aside; else the end."""
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
    return len(text) if depth else place
