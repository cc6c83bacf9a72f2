"""Titles that are not quoted, as one word of a claim."""

from functools import cache
from typing import TYPE_CHECKING

import pytest

from src.programs.decomposition.parsing import parsed, titles
from src.spacy_pipelines import FROM_PYPI, load

if TYPE_CHECKING:
    from spacy.language import Language


@cache
def language() -> "Language":
    return load(FROM_PYPI, [])


@pytest.mark.parametrize(
    ("claim", "found"),
    [
        ("Anna Berg sang Where Are You My Rain in Lorn.", ["Where Are You My Rain"]),
        ("The Roads Are Indifferent to Rain is an album.", ["The Roads Are Indifferent to Rain"]),
        ("The film The Eleven Mills was shown.", ["The Eleven Mills"]),
        ("Karl Holm wrote the novel Going Down Slowly and a play.", ["Going Down Slowly"]),
        ("Anna Berg played in Rain: The Return of Snow.", ["Rain: The Return of Snow"]),
        ("Anna Berg sings for Snow & Rain.", ["Snow & Rain"]),
        ("The film Anna Berg directed was shown.", []),
        ("Karl Holm II met Anna Berg in The Hague.", []),
        ("He met Anna Berg. She sang.", []),
    ],
)
def test_titles_of(claim: str, found: list[str]) -> None:
    assert [span.text for span in titles(language().make_doc(claim))] == found


def test_a_title_is_read_as_a_name() -> None:
    (doc,) = parsed(language(), ["The star of the sitcom Then You Came sang."])
    assert [(word.text, word.pos_) for word in doc if " " in word.text] == [("Then You Came", "PROPN")]
