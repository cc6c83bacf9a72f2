"""Predict's argument: a tree of and, or and not over variables, with its parser and evaluation.

    expr = or ; or = and { "or" and } ; and = not { "and" not } ; not = "not" not | "(" expr ")" | variable

The signs `&`, `&&`, `|`, `||`, `!`, `~` and words in any case are accepted too. Names are compared case-insensitively.

Limitations: everything else, such as constants, comparisons and calls, is an error. No text is ever executed or
compiled.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from src.programs.logic import conjunction, disjunction, negation
from src.programs.records import DiagnosticKind
from src.records import Value

MOST_NODES = 200  # every token except ")" counts, which also limits the nesting

_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<sign>&&?|\|\|?|[!~()](?!=))|(?P<other>\S))")
_SIGNS = {"&": "and", "&&": "and", "|": "or", "||": "or", "!": "not", "~": "not"}
_WORDS = ("and", "or", "not")
_CONSTANTS = ("true", "false", "none")
UNSUPPORTED, BROKEN = DiagnosticKind.UNSUPPORTED_EXPRESSION, DiagnosticKind.PARSE_ERROR


class Variable(msgspec.Struct, frozen=True):
    name: str


class Not(msgspec.Struct, frozen=True):
    inner: "Expression"


class And(msgspec.Struct, frozen=True):
    parts: tuple["Expression", ...]


class Or(msgspec.Struct, frozen=True):
    parts: tuple["Expression", ...]


Expression: TypeAlias = Variable | Not | And | Or


class ExpressionError(Exception):
    """Raised when a text is not an expression. `kind`: malformed, with unsupported parts, or too large."""

    def __init__(self, kind: DiagnosticKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def parse(text: str) -> Expression:
    """Return the tree of the expression. Raises ExpressionError when the text is not an expression."""
    tokens = list(_tokens(text))
    if len(tokens) - tokens.count(")") > MOST_NODES:
        raise ExpressionError(DiagnosticKind.LIMIT_EXCEEDED, f"more than {MOST_NODES} nodes")
    reader = _Reader(tokens)
    found = reader.alternatives()
    if reader.left():
        raise ExpressionError(UNSUPPORTED, f"{reader.left()} is not expected")
    return found


def _tokens(text: str) -> Iterator[str]:
    for found in _TOKEN.finditer(text):
        if found["other"]:
            raise ExpressionError(UNSUPPORTED, f"{found['other']} is no operator")
        word = found["name"] or _SIGNS.get(found["sign"], found["sign"])
        lower = word.lower()
        if lower in _CONSTANTS:
            raise ExpressionError(UNSUPPORTED, f"{word} is a constant, no variable")
        yield lower


class _Reader:
    """Recursive-descent parser; its depth is bounded by the number of tokens."""

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens, self._place = tokens, 0

    def left(self) -> str:
        """Return the next token; empty at the end."""
        return self._tokens[self._place] if self._place < len(self._tokens) else ""

    def alternatives(self) -> Expression:
        parts = [self._conjuncts()]
        while self._took("or"):
            parts.append(self._conjuncts())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _conjuncts(self) -> Expression:
        parts = [self._negated()]
        while self._took("and"):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _negated(self) -> Expression:
        if self._took("not"):
            return Not(self._negated())
        if self._took("("):
            inner = self.alternatives()
            if not self._took(")"):
                raise ExpressionError(BROKEN, "a parenthesis is not closed")
            return inner
        name = self.left()
        if not name or name in _WORDS or name == ")":
            raise ExpressionError(BROKEN, f"a variable is missing before {name}" if name else "a variable is missing")
        self._place += 1
        return Variable(name)

    def _took(self, token: str) -> bool:
        if self.left() != token:
            return False
        self._place += 1
        return True


def variables(tree: Expression) -> list[str]:
    """Return the names in the tree, each once, in order of occurrence."""
    return list(dict.fromkeys(_names(tree)))


def _names(tree: Expression) -> Iterator[str]:
    match tree:
        case Variable(name):
            yield name
        case Not(inner):
            yield from _names(inner)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _names(part)


def replaced(tree: Expression, named: Mapping[str, Expression]) -> Expression:
    """Return the tree with the variables in `named` replaced by their expressions; these are not replaced again."""
    match tree:
        case Variable(name):
            return named.get(name, tree)
        case Not(inner):
            return Not(replaced(inner, named))
        case And(parts):
            return And(tuple(replaced(part, named) for part in parts))
        case Or(parts):
            return Or(tuple(replaced(part, named) for part in parts))


def evaluate(tree: Expression, values: Mapping[str, Value]) -> Value:
    """Return the value of the expression; a variable without a value is unknown."""
    match tree:
        case Variable(name):
            return values.get(name, Value.UNKNOWN)
        case Not(inner):
            return negation(evaluate(inner, values))
        case And(parts):
            return conjunction(evaluate(part, values) for part in parts)
        case Or(parts):
            return disjunction(evaluate(part, values) for part in parts)


def decisive(tree: Expression, values: Mapping[str, Value]) -> set[str]:
    """Return the variables that decide the value: at each level, those of the operands with the value of the whole."""
    match tree:
        case Variable(name):
            return {name}
        case Not(inner):
            return decisive(inner, values)
        case And(parts) | Or(parts):
            whole = evaluate(tree, values)
            telling = [part for part in parts if evaluate(part, values) == whole]
            return set().union(*(decisive(part, values) for part in telling))


def written(tree: Expression) -> str:
    """Return the canonical text, with parentheses only where precedence needs them."""
    match tree:
        case Variable(name):
            return name
        case Not(inner):
            return f"not {_inside(inner, And, Or)}"
        case And(parts):
            return " and ".join(_inside(part, And, Or) for part in parts)
        case Or(parts):
            return " or ".join(_inside(part, Or) for part in parts)
    raise AssertionError(tree)


def _inside(tree: Expression, *loose: type) -> str:
    return f"({written(tree)})" if isinstance(tree, loose) else written(tree)
