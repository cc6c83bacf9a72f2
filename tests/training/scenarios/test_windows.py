"""Passages of a scenario's page: with what decides, or without it."""

from random import Random

import msgspec

from src.training.passages.scenarios import anywhere, beside, deciding, whole
from tests.training.small_scenarios import page, scenario

CLAIM = "The bridge of Oster is open again."
LONG = page(
    "paper",
    "Headline",
    "First comes Oster. The bridge is open. Third there was Oster's bridge. Fourth there was sun. Fifth came wind.",
    "The bridge is open.",
)


def test_a_deciding_passage_always_has_the_key() -> None:
    for seed in range(50):
        found = deciding(LONG, CLAIM, Random(seed))
        assert LONG.key in found.text
        assert found.url == "https://paper.example/"


def test_most_deciding_passages_are_a_sentence_with_its_neighbors() -> None:
    texts = [deciding(LONG, CLAIM, Random(seed)).text for seed in range(100)]
    assert "First comes Oster. The bridge is open. Third there was Oster's bridge." in texts
    assert 5 < texts.count(whole(LONG).text) < 30


def test_a_key_of_several_sentences_is_kept_whole() -> None:
    key = "First comes Oster. The bridge is open. Third there was Oster's bridge. Fourth there was sun."
    for seed in range(20):
        assert key in deciding(msgspec.structs.replace(LONG, key=key), CLAIM, Random(seed)).text


def test_a_key_within_a_sentence_that_occurs_twice_is_found_where_it_stands() -> None:
    text = "Is the bridge of Oster open? No. Is it closed? No. It never was, for it was never built. So much for that."
    twice = page("paper", "Questions", text, "Is it closed? No.")
    texts = {deciding(twice, CLAIM, Random(seed)).text for seed in range(50)}
    assert all("Is it closed? No." in one for one in texts)


def test_a_passage_without_the_claims_words_becomes_the_whole_page() -> None:
    far = page("paper", "News of Oster", "The bridge is open. It rained. Ten came. They sang. They left.", "They sang.")
    assert {deciding(far, CLAIM, Random(seed)).text for seed in range(30)} == {whole(far).text}


def test_a_passage_beside_the_key_comes_behind_it() -> None:
    text = f"{LONG.text} The bridge of Oster has a roof. It is red."
    longer = msgspec.structs.replace(LONG, text=text)
    texts = {found.text for seed in range(50) if (found := beside(longer, CLAIM, Random(seed)))}
    assert "Fifth came wind. The bridge of Oster has a roof. It is red." in texts
    assert not any("bridge is open" in one or "First" in one for one in texts)


def test_a_page_that_decides_everywhere_has_nothing_beside() -> None:
    assert beside(msgspec.structs.replace(LONG, text=LONG.key), CLAIM, Random(0)) is None


def test_any_passage_of_a_silent_page_is_taken_from_it() -> None:
    one = scenario("Oster")
    texts = {anywhere(one.silent[0], one.claim, Random(seed)).text for seed in range(30)}
    assert all(text in whole(one.silent[0]).text for text in texts)
