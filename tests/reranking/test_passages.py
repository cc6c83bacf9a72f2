"""Sentences become passages with their neighbors on the page."""

from src.records import ChosenSentence
from src.reranking.hybrid.passages import MOST_WORDS, as_passages


def chosen(sentence: str, before: str = "", after: str = "", url: str = "u") -> ChosenSentence:
    return ChosenSentence(sentence, url, before=before, after=after)


def test_a_sentence_comes_with_what_is_around_it() -> None:
    (found,) = as_passages([chosen("That is false.", "The well cures migraine, a leaflet says.", "Doctors agree.")])
    assert found.sentence == "The well cures migraine, a leaflet says. That is false. Doctors agree."
    assert (found.before, found.after, found.url) == ("", "", "u")


def test_a_sentence_of_an_earlier_passage_is_no_passage_of_its_own() -> None:
    found = as_passages([chosen("Two.", "One.", "Three."), chosen("Three.", "Two.", "Four."), chosen("Two.", url="v")])
    assert [one.sentence for one in found] == ["One. Two. Three.", "Two."]


def test_long_neighbors_are_left_out() -> None:
    (found,) = as_passages([chosen("Two.", "word " * (MOST_WORDS + 1), "Three.")])
    assert found.sentence == "Two. Three."
