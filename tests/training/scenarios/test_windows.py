"""Passages of a scenario's page: with what decides, or without it."""

from random import Random

import msgspec

from src.training.scenarios.windows import anywhere, beside, deciding
from tests.training.small_scenarios import page, scenario

LONG = page(
    "paper",
    "Headline",
    "First comes this. The bridge is open. Third there was rain. Fourth there was sun. Fifth there was wind.",
    "The bridge is open.",
)


def test_a_deciding_passage_always_has_the_key() -> None:
    for seed in range(50):
        found = deciding(LONG, Random(seed))
        assert LONG.key in found.text
        assert found.url == "https://paper.example/"


def test_most_deciding_passages_are_a_sentence_with_its_neighbors() -> None:
    texts = {deciding(LONG, Random(seed)).text for seed in range(50)}
    assert "First comes this. The bridge is open. Third there was rain." in texts
    assert f"{LONG.title} {LONG.text}" in texts


def test_a_key_of_several_sentences_is_kept_whole() -> None:
    key = "First comes this. The bridge is open. Third there was rain. Fourth there was sun."
    for seed in range(20):
        assert key in deciding(msgspec.structs.replace(LONG, key=key), Random(seed)).text


def test_a_passage_beside_the_key_has_none_of_it() -> None:
    texts = {found.text for seed in range(50) if (found := beside(LONG, Random(seed)))}
    assert texts
    assert not any("bridge" in text for text in texts)


def test_a_page_that_decides_everywhere_has_nothing_beside() -> None:
    assert beside(msgspec.structs.replace(LONG, text=LONG.key), Random(0)) is None


def test_any_passage_of_a_silent_page_is_taken_from_it() -> None:
    (silent,) = scenario("Oster").silent
    whole = f"{silent.title} {silent.text}"
    assert all(anywhere(silent, Random(seed)).text in whole for seed in range(30))
