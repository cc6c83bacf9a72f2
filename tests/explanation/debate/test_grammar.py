"""What feedback is held to: a grammar whose replies can be read."""

import re

import pytest

from src.explanation.debate.grammar import feedback_grammar
from src.explanation.debate.reading import read_feedback
from src.explanation.typology import MADR_TYPES

DRAFT = 'Eels  swim.\nShe said: "They\\fly." So it is.'


def quotes(draft: str) -> list[str]:
    """The alternatives of the last rule, as JSON."""
    rule = feedback_grammar(draft).rpartition("quote ::= ")[2]
    return [re.sub(r"\\(.)", r"\1", one) for one in re.findall(r'"((?:[^"\\]|\\.)*)"', rule)]


def test_quotes_are_the_sentences_of_the_draft_and_can_be_read() -> None:
    assert quotes(DRAFT)[0] == '"Eels swim."'
    for quote in quotes(DRAFT):
        read = read_feedback(f'{{"errors": [{{"quote": {quote}, "type": "EV", "reason": "r", "fix": "f"}}]}}', DRAFT)
        assert read is not None
        assert (len(read.remarks), read.dropped) == (1, 0)


def test_a_sentence_stands_there_once() -> None:
    assert quotes("Eels swim. Eels swim. ...") == ['"Eels swim."']


@pytest.mark.parametrize("draft", ["", " \n", "..."])
def test_a_draft_without_sentences_has_none(draft: str) -> None:
    assert feedback_grammar(draft) == ""


def test_the_types_are_the_nine() -> None:
    (rule,) = re.findall(r"^type +::= (.*)$", feedback_grammar(DRAFT), re.MULTILINE)
    assert re.findall(r'"(\w\w)"', rule) == [one.value for one in MADR_TYPES]
