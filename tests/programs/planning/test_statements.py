"""Steps that read as statements, and those that a rule has damaged."""

from functools import cache
from itertools import product

import pytest

from src.programs.planning.statements import are_statements
from src.spacy_pipelines import FROM_PYPI, load

WHOLE = [
    "Anna Berg won the cup.",
    "{answer_1} was founded in Lorn.",
    "{answer_1}'s owner joined {answer_2}.",
    "'Where Are You' is a song.",
    "Anna Berg and Karl Holm were born in Oslo.",
    "Either Anna Berg or Karl Holm won the cup.",
    "Karl Holm sang in Lund, Oslo, and Bergen.",
    "Anna Berg and Karl Holm won a cup each.",
    "There were two mills in Lorn.",
    "The mill (built in 1902) did not burn down.",
]
DAMAGED = [
    "Anna Berg won the cup, but not.",
    "Anna Berg won the cup and.",
    "Anna Berg sang with her sister in.",
    "Anna Berg painted the.",
    "Anna Berg were born in Lorn.",
    "The old mill have two wheels.",
    "Either Anna Berg won the cup.",
    "Anna Berg is a singer, or by Karl Holm.",
    "Anna Berg is a singer from Lund, and Karl Holm, a dancer.",
    "The mill on the hill.",
    "The mill being sold to Karl Holm.",
    "Won the cup in Lorn.",
    "...",
    "",
]


@cache
def judged(*texts: str) -> list[bool]:
    return list(are_statements(load(FROM_PYPI, []), texts))


@pytest.mark.parametrize(
    ("text", "expected"), [*product(WHOLE, [True]), *product(DAMAGED, [False])], ids=[*WHOLE, *DAMAGED]
)
def test_what_is_damaged_is_no_statement(text: str, expected: bool) -> None:
    assert judged(*WHOLE, *DAMAGED)[[*WHOLE, *DAMAGED].index(text)] is expected
