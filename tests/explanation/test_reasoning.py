"""A language model's reasoning as the justification of its verdict."""

import pytest

from src.explanation.reasons import with_subjects


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[2] says so. [1] does not.", "Evidence 2 [2] says so. Evidence 1 [1] does not."),
        ("Piece [2] says so.", "Evidence 2 [2] says so."),
        ("In [12], the mayor denies it.", "In evidence 12 [12], the mayor denies it."),
        ("It rose [2] and fell [3]. It rained. [4]", "It rose [2] and fell [3]. It rained. [4]"),
        ("It rained. [4] It rose.", "It rained. [4] It rose."),
    ],
)
def test_a_number_that_is_the_subject_has_a_word_for_it(text: str, expected: str) -> None:
    assert with_subjects(text) == expected
