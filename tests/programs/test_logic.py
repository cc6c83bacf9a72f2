"""The tables of not, and, or over four values, cell by cell, and the laws that hold."""

from itertools import product

import pytest

from src.programs.parsing.expression import conjunction, disjunction, negation
from src.records import Value
from tests.programs.answers import C, F, T, U

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
