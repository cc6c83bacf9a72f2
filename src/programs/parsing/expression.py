"""Programs as they are executed: steps, and Predict's argument as a tree of and, or and not over variables.

    program   = { statement NEWLINE } label ;
    statement = variable "=" ( "Question" | "Verify" ) "(" string ")" ;
    label     = "label" "=" "Predict" "(" expr ")" ;
    expr = or ; or = and { "or" and } ; and = not { "and" not } ; not = "not" not | "(" expr ")" | variable

The signs `&`, `&&`, `|`, `||`, `!`, `~` and words in any case are accepted too. Names are compared case-insensitively.

The logic has four values in the order false < conflicting < unknown < true. "And" is the minimum; "or" follows by De
Morgan. Unknown and conflicting values are kept unless a false conjunct or a true disjunct decides.

Limitations: everything else in an expression, such as constants, comparisons and calls, is an error; no text is ever
executed or compiled. Absorption and distributivity do not hold when unknown meets conflicting, so expressions are never
simplified.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

import msgspec

from src.programs.records import Diagnostic, DiagnosticKind, Function
from src.records import Value

_ORDER = (Value.FALSE, Value.CONFLICTING, Value.UNKNOWN, Value.TRUE)
_NEGATED = {Value.TRUE: Value.FALSE, Value.FALSE: Value.TRUE}


def negation(value: Value) -> Value:
    return _NEGATED.get(value, value)


def conjunction(values: Iterable[Value]) -> Value:
    """Return the conjunction of the values; true for no values."""
    return min(values, key=_ORDER.index, default=Value.TRUE)


def disjunction(values: Iterable[Value]) -> Value:
    """Return the disjunction of the values; false for no values."""
    return negation(conjunction(map(negation, values)))


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
    """Raised when a text is not an expression.

    `kind` is the kind of the diagnostic: the text is malformed, has unsupported parts, or is too large.
    """

    def __init__(self, kind: DiagnosticKind, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def parse(text: str) -> Expression:
    """Return the tree of the expression in the text. Raises ExpressionError when the text is not an expression."""
    tokens = list(_tokens(text))
    if len(tokens) - tokens.count(")") > MOST_NODES:
        raise ExpressionError(DiagnosticKind.LIMIT_EXCEEDED, f"more than {MOST_NODES} nodes")
    reader = _Reader(tokens)
    tree = reader.alternatives()
    if reader.left():
        raise ExpressionError(UNSUPPORTED, f"{reader.left()} is not expected")
    return tree


def _tokens(text: str) -> Iterator[str]:
    for match in _TOKEN.finditer(text):
        if match["other"]:
            raise ExpressionError(UNSUPPORTED, f"{match['other']} is no operator")
        word = match["name"] or _SIGNS.get(match["sign"], match["sign"])
        lower = word.lower()
        if lower in _CONSTANTS:
            raise ExpressionError(UNSUPPORTED, f"{word} is a constant, no variable")
        yield lower


class _Reader:
    """Recursive-descent parser of the tokens of an expression.

    Its recursion depth is bounded by the number of tokens, which `parse` limits.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self._tokens, self._place = tokens, 0

    def left(self) -> str:
        """Return the next token without consuming it; empty at the end."""
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
    """Return the names of the variables in the tree, each once, in order of occurrence."""
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
    """Return the tree with the expressions in `named` in place of the variables of these names.

    Variables inside the inserted expressions are not replaced.
    """
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
    """Return the value of the expression for the `values` of its variables; a variable without a value is unknown."""
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
    """Return the names of the variables that decide the value of the expression.

    At each level of the tree, the operands count that have the same value as the whole level. `values` maps variables
    to their values.
    """
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
    """Return the canonical text of the expression, with parentheses only where precedence needs them."""
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


class Step(msgspec.Struct, frozen=True):
    """A call in a parsed program.

    `variable`: the variable that gets the value; None if there is none.
    `function`: Question or Verify.
    `text`: the argument of the call, with variables in braces.
    `line`: line in the text of the program as received, from 1.
    """

    variable: str | None
    function: Function
    text: str
    line: int


class Program(msgspec.Struct, frozen=True):
    """A parsed program.

    `steps`: its calls, in order.
    `label`: the argument of Predict; None if it could not be read: the value is then unknown, and a diagnostic says why
    `label_line`: line of the label, from 1; 0 without a label.
    `diagnostics`: repairs, and reasons for unknown values.
    """

    steps: tuple[Step, ...]
    label: Expression | None
    label_line: int
    diagnostics: tuple[Diagnostic, ...]


def canonical(program: Program) -> str:
    """Return the program as text that is parsed to the same program without repairs."""
    lines = [_call(step) for step in program.steps]
    if program.label is not None:
        lines.append(f"label = Predict({written(program.label)})")
    return "".join(f"{line}\n" for line in lines)


def _call(step: Step) -> str:
    call = f'{step.function}("{step.text}")'
    return f"{step.variable} = {call}" if step.variable else call
