"""What feedback is held to: a grammar whose replies can be read."""

import json
import re
from pathlib import Path

import pytest

from src.explanation.debate.grammar import feedback_grammar
from src.explanation.debate.reading import read_feedback
from src.explanation.typology import MADR_TYPES
from tests.programs.gbnf import as_regex

DRAFT = 'Eels  swim.\nShe said: "They\\fly." So it is.'


def written(draft: str, folder: Path, *, counted: bool = False) -> re.Pattern[str]:
    """What the grammar lets a debater write."""
    (folder / "g.gbnf").write_text(feedback_grammar(draft, counted=counted))
    return re.compile(as_regex(folder / "g.gbnf", 9))


def reply(*quotes: str, reason: str = "r") -> str:
    of = (f'{{"quote": {json.dumps(one)}, "type": "EV", "reason": "{reason}", "fix": "f"}}' for one in quotes)
    return f'{{"compared": "c", "errors": [{", ".join(of)}]}}'


@pytest.mark.parametrize("quote", ["Eels swim.", "Eels", 'said: "They\\fly."', "it is."])
def test_any_phrase_of_the_draft_is_a_quote_and_can_be_read(quote: str, tmp_path: Path) -> None:
    assert written(DRAFT, tmp_path).fullmatch(reply(quote))
    read = read_feedback(reply(quote), DRAFT)
    assert read is not None
    assert (len(read.remarks), read.dropped) == (1, 0)


@pytest.mark.parametrize("quote", ["", "els swim.", "swim. She", "She fly", "Eels  swim."])
def test_what_is_no_phrase_of_the_draft_is_no_quote(quote: str, tmp_path: Path) -> None:
    assert not written(DRAFT, tmp_path).fullmatch(reply(quote))


def test_there_may_be_any_number_of_errors_of_any_length(tmp_path: Path) -> None:
    held = written(DRAFT, tmp_path)
    assert held.fullmatch(reply())
    assert held.fullmatch(reply(*["Eels swim."] * 30, reason="because of this " * 60))


def test_errors_are_counted_where_this_is_asked_for(tmp_path: Path) -> None:
    counted = reply("Eels").replace(', "errors"', ', "count": 12, "errors"')
    assert written(DRAFT, tmp_path, counted=True).fullmatch(counted)
    assert not written(DRAFT, tmp_path).fullmatch(counted)
    assert read_feedback(counted, DRAFT) is not None


@pytest.mark.parametrize("draft", ["", " \n", "..."])
def test_a_draft_without_sentences_has_none(draft: str) -> None:
    assert feedback_grammar(draft) == ""


def test_the_types_are_the_nine() -> None:
    (rule,) = re.findall(r"^type +::= (.*)$", feedback_grammar(DRAFT), re.MULTILINE)
    assert re.findall(r'"(\w\w)"', rule) == [one.value for one in MADR_TYPES]
