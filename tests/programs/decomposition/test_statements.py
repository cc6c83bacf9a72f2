"""Steps that read as statements, and those that a rule has damaged."""

from functools import cache
from itertools import product

import pytest

from src.programs.decomposition.statements import are_questions, are_statements
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
    "Arden Airport and {answer_1} are not located in Europe.",
    "The mill (built in 1902) did not burn down.",
    "Rain is the 2003 comedy that {answer_1} had a role in.",
    "Unlike {answer_1}, Anna Berg is a poet.",
    "{answer_1}'s brother owns the mill.",
]
DAMAGED = [
    "Anna Berg won the cup, but not.",
    "Anna Berg won the cup and.",
    "Anna Berg sang with her sister in.",
    "Anna Berg painted the.",
    "Anna Berg were born in Lorn.",
    "{answer_1}: A Story is a book.",
    "{answer_1} sing in Lorn.",
    "Whose second novel is Snow.",
    "Anna Berg was born before the singer, the song was dedicated who to.",
    "The old mill have two wheels.",
    "Either Anna Berg won the cup.",
    "Anna Berg is a singer, or by Karl Holm.",
    "Anna Berg is a singer from Lund, and Karl Holm, a dancer.",
    "The mill on the hill.",
    "The mill being sold to Karl Holm.",
    "Won the cup in Lorn.",
    "Karl Holm was was a poet.",
    "The books that Snow is a part of.",
    "Snow is a film Anna Berg has expressed interest who in playing.",
    "Karl Holm sings in {answer_1} that {answer_2} owns.",
    "The person for whom he works for is a poet.",
    "Snow was written by Karl Holm, and starring Anna Berg.",
    "Anna Berg is starred in Snow.",
    "The road that {answer_1} is bounded by and {answer_2}.",
    "Anna Berg is a poet. Unlike Karl Holm.",
    "This magazines was founded in Lorn.",
    "Snow features the song 'Rain In Lorn.",
    "A member of a the band sang Snow.",
    "The prize went to both the this singer and Anna Berg.",
    "Anna Berg is a singer for the band who's name.",
    "{answer_1} is a part of is written with the old script.",
    "The film Anna Berg voiced the character of Snow in.",
    "{answer_1} was that the census took a count of.",
    "...",
    "",
]
ASKED = [
    "Which river flows through Arden?",
    "Which band's second album is Snow?",
    "Which team does {answer_1} play for?",
    "Who is the author of the novel that won the Arden Prize?",
    "Which singer was born in Lorn?",
]
MISASKED = [
    "Anna Berg plays for which team?",
    "Which city is Lorn under the control of are located in Norway?",
    "Which young singers was honored in Lorn?",
    "Which same place did Anna Berg die?",
    "Which man was {answer_1} based on on?",
    "Which film is Anna Berg better than?",
    "Which river flows through Arden.",
    "Which band did Anna Berg earn a prize from in?",
    "Which band did a cover of in 2002?",
    "Which team did that Anna Berg previously play for?",
]


@cache
def judged(*texts: str) -> list[bool]:
    return list(are_statements(load(FROM_PYPI, []), texts))


@pytest.mark.parametrize(
    ("text", "expected"), [*product(WHOLE, [True]), *product(DAMAGED, [False])], ids=[*WHOLE, *DAMAGED]
)
def test_what_is_damaged_is_no_statement(text: str, expected: bool) -> None:
    assert judged(*WHOLE, *DAMAGED)[[*WHOLE, *DAMAGED].index(text)] is expected


@pytest.mark.parametrize(("text", "expected"), [*product(ASKED, [True]), *product(MISASKED, [False])])
def test_what_is_asked_badly_is_no_question(text: str, expected: bool) -> None:
    assert list(are_questions(load(FROM_PYPI, []), [text])) == [expected]
