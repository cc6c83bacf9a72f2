"""Parser of Predict's argument: an expression in which nested calls become separate steps."""

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
    """Read a call of Predict. `text` follows its opening parenthesis; `goes_on` is True if code follows the call."""
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
    """Return the expression with each nested call replaced by the variable of a new step."""
    while not findings.is_full and (call := NESTED.search(text)):
        argument = quoted(text, call.end(), in_expression=True)
        if argument is None:
            return text
        variable = findings.hoist(Function(call["function"].capitalize()), argument.text, line)
        text = f"{text[: call.start()]}{variable}{text[argument.end :]}"
    return text


def of_variables(text: str) -> Expression | None:
    """Return the expression in the text, or None. It may be in quotes, with its variables in braces."""
    try:
        return _parsed(text)
    except ExpressionError:
        return None


def _parsed(text: str) -> Expression:
    written = _IN_QUOTES.fullmatch(text)
    return expression.parse(PLACEHOLDER.sub(r" \1 ", written[2] if written else text))


def end_of_predict(text: str, start: int) -> int:
    """Return the place after the parenthesis that closes the one before `start`; the end of the text if none does.

    Parentheses in the quoted texts of nested calls do not count.
    """
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
