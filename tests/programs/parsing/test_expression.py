"""Predict's argument: accepted and rejected texts, the canonical text, and the logic of four values."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.programs.parsing.expression import (
    And,
    Expression,
    ExpressionError,
    Not,
    Or,
    Variable,
    conjunction,
    decisive,
    disjunction,
    evaluate,
    negation,
    parse,
    variables,
    written,
)
from src.programs.records import DiagnosticKind
from src.records import Value
from tests.programs.answers import C, F, T, U

A, B, D = Variable("a"), Variable("b"), Variable("d")

names = st.sampled_from(["fact_1", "fact_2", "fact_3", "answer_1", "x"]).map(Variable)
trees: st.SearchStrategy[Expression] = st.recursive(
    names,
    lambda inner: st.one_of(
        inner.map(Not),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: And(tuple(parts))),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: Or(tuple(parts))),
    ),
    max_leaves=12,
)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("A and b", And((A, B))),
        ("a or b and d", Or((A, And((B, D))))),
        ("(a or b) and d", And((Or((A, B)), D))),
        ("not a and b", And((Not(A), B))),
        ("not (a and b)", Not(And((A, B)))),
        ("a && b || !d", Or((And((A, B)), Not(D)))),
        ("a & b | ~ d", Or((And((A, B)), Not(D)))),
        ("a AND NOT b", And((A, Not(B)))),
        ("((a))", A),
    ],
)
def test_read(text: str, tree: Expression) -> None:
    assert parse(text) == tree


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("a == b", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("a != b", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("True", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("a and false", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("1", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("a.b", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("a b", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("f(a)", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("a[0]", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("lambda: a", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("a, b", DiagnosticKind.UNSUPPORTED_EXPRESSION),
        ("", DiagnosticKind.PARSE_ERROR),
        ("a and", DiagnosticKind.PARSE_ERROR),
        ("and a", DiagnosticKind.PARSE_ERROR),
        ("(a", DiagnosticKind.PARSE_ERROR),
        ("not", DiagnosticKind.PARSE_ERROR),
        ("(" * 400 + "a" + ")" * 400, DiagnosticKind.LIMIT_EXCEEDED),
        (" and ".join("a" * 200), DiagnosticKind.LIMIT_EXCEEDED),
    ],
)
def test_not_read(text: str, kind: DiagnosticKind) -> None:
    """400 parentheses are to be refused within 50 ms; as times say little on a shared machine, no time is asserted.

    What replaces it: the number of tokens is checked before any is parsed, and in `test_reader.py` a clock ends what
    hangs on 20 KB of them.
    """
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.kind is kind


@given(trees)
def test_the_canonical_text_reads_as_the_same_tree(tree: Expression) -> None:
    assert parse(written(tree)) == tree


@pytest.mark.parametrize("deepest", ["not " * 199 + "a", "(" * 199 + "a" + ")" * 199])
def test_as_deep_as_is_allowed(deepest: str) -> None:
    tree = parse(deepest)
    assert evaluate(tree, {"a": T}) is (F if "not" in deepest else T)
    assert variables(tree) == ["a"]
    assert decisive(tree, {"a": T}) == {"a"}
    assert parse(written(tree)) == tree


def test_a_variable_without_a_value_is_unknown() -> None:
    assert evaluate(parse("a and b"), {"a": T}) is U
    assert evaluate(parse("a and b"), {"a": F}) is F


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a and b", {"b"}),
        ("a and d", {"a", "d"}),
        ("b or c", {"c"}),
        ("b or a or d", {"a", "d"}),
        ("not (a and b)", {"b"}),
        ("a and c", {"c"}),
        ("(a or b) and (b or d)", {"a", "d"}),
    ],
)
def test_what_a_value_rests_on(text: str, expected: set[str]) -> None:
    assert decisive(parse(text), {"a": T, "b": F, "c": C, "d": T}) == expected


AND = {T: [T, F, U, C], F: [F, F, F, F], U: [U, F, U, C], C: [C, F, C, C]}
OR = {T: [T, T, T, T], F: [T, F, U, C], U: [T, U, U, C], C: [T, C, C, C]}


@pytest.mark.parametrize(("row", "place"), list(product([T, F, U, C], range(4))))
def test_every_cell(row: Value, place: int) -> None:
    other = [T, F, U, C][place]
    assert conjunction([row, other]) is AND[row][place]
    assert disjunction([row, other]) is OR[row][place]


def test_not_turns_what_is_decided_alone() -> None:
    assert [negation(value) for value in (T, F, U, C)] == [F, T, U, C]


def test_of_nothing() -> None:
    assert (conjunction([]), disjunction([])) == (T, F)


@pytest.mark.parametrize("values", list(product(Value, repeat=3)))
def test_laws(values: tuple[Value, Value, Value]) -> None:
    a, b, c = values
    for both in (conjunction, disjunction):
        assert both([a, b]) is both([b, a])
        assert both([a, both([b, c])]) is both([both([a, b]), c]) is both([a, b, c])
        assert both([a, a]) is a
    assert negation(conjunction([a, b])) is disjunction([negation(a), negation(b)])


@pytest.mark.parametrize(("a", "resolved"), list(product(Value, [T, F])))
def test_what_is_decided_stays_so_when_an_unknown_is_resolved(a: Value, resolved: Value) -> None:
    for both in (conjunction, disjunction):
        if both([a, U]) in (T, F):
            assert both([a, resolved]) is both([a, U])
