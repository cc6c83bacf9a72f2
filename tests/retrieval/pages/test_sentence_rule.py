"""The published sentence rule on cases made by hand, and what holds for any text."""

from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.pages.sentence_rule import MAX_LENGTH, MIN_LENGTH, merge_sentences


def by_stop(line: str) -> list[str]:
    """A splitter that is easy to foresee: a sentence ends at every full stop."""
    return [f"{part}." for part in line.split(".") if part]


def never(line: str) -> list[str]:
    raise AssertionError(f"must not be split: {line}")


def sentence(length: int) -> str:
    return "x" * (length - 1) + "."


def test_lines_under_50_characters_are_dropped() -> None:
    assert merge_sentences(["", "Home", "x" * 49], never) == []


def test_lines_of_50_to_100_characters_stay_as_they_are_and_are_not_split() -> None:
    lines = ["x" * 50, "a. b. " * 16, "x" * 100]
    assert merge_sentences(lines, never) == lines


def test_a_line_of_101_characters_is_split() -> None:
    assert merge_sentences([sentence(40) + sentence(61)], by_stop) == [f"{sentence(40)} {sentence(61)}"]


def test_sentences_are_joined_until_they_are_longer_than_100() -> None:
    line = sentence(50) + sentence(49) + sentence(20) + sentence(120)
    assert merge_sentences([line], by_stop) == [f"{sentence(50)} {sentence(49)} {sentence(20)}", sentence(120)]


def test_a_leftover_counts_only_when_longer_than_50() -> None:
    assert merge_sentences([sentence(101) + sentence(50)], by_stop) == [sentence(101)]
    assert merge_sentences([sentence(101) + sentence(51)], by_stop) == [sentence(101), sentence(51)]


def test_a_leftover_is_not_carried_into_the_next_line() -> None:
    line = sentence(101) + sentence(30)
    assert merge_sentences([line, line], by_stop) == [sentence(101), sentence(101)]


def test_no_more_than_5000_characters_of_a_line_are_read() -> None:
    assert merge_sentences(["x" * 5001], lambda line: [line]) == ["x" * 5000]


def test_sentences_are_stripped_before_they_are_joined() -> None:
    assert merge_sentences(["x" * 101], lambda _: [" " + "a" * 60, "b" * 60 + "\t"]) == [f"{'a' * 60} {'b' * 60}"]


def test_the_longest_line_that_is_kept_whole_can_be_chosen() -> None:
    assert merge_sentences([sentence(30) + sentence(31)], by_stop, max_size=60) == [f"{sentence(30)} {sentence(31)}"]


def test_repeated_lines_stay() -> None:
    assert merge_sentences(["x" * 60, "x" * 60], never) == ["x" * 60, "x" * 60]


@given(st.lists(st.text("ab. ", max_size=400)))
def test_every_sentence_is_long_enough_and_nothing_is_added(lines: list[str]) -> None:
    merged = merge_sentences(lines, by_stop)
    assert all(MIN_LENGTH <= len(sentence) <= MAX_LENGTH for sentence in merged)
    kept = "".join(merged).replace(" ", "").replace(".", "")
    letters = iter("".join(lines))
    assert all(letter in letters for letter in kept)
