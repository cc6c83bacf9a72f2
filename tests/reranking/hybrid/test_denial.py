"""Which sentences deny something."""

import pytest

from src.reranking.hybrid.retrieval import denies


@pytest.mark.parametrize(
    "sentence",
    [
        "Trump never won Georgia.",
        "It wasn\u2019t so",
        "They DON'T know",
        "No vaccine",
        "The claim is False.",
        "He denied it",
    ],
)
def test_a_denial(sentence: str) -> None:
    assert denies(sentence)


@pytest.mark.parametrize("sentence", ["Trump won Georgia.", "A notable denim note", "", "Nova knots", "Indent 'twas"])
def test_none(sentence: str) -> None:
    assert not denies(sentence)
