"""Lines without what cannot be seen."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.pages.cleaning import clean, clean_lines


@pytest.mark.parametrize(
    ("line", "cleaned"),
    [
        ("Plain words stay as they are.", "Plain words stay as they are."),
        ("  indented in the page ", "  indented in the page "),
        ("a\x00b\x07c\x9dd\x7f", "abcd"),
        ("a\tb\x0cc\u2028d\x85e", "a b c d e"),
        ("\ufeffwords\u200b and\u00ad words\u2060", "words and words"),
        ("\u202eeman\u202c \u2066x\u2069", "eman x"),
        ("a\ud800b", "ab"),
        ("\tfirst and last\n", "first and last"),
        ("cafe\u0301", "caf\u00e9"),
        ("hidden\U000e0041\U000e0042", "hidden"),
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"),
        ("ten\u00a0euros, \ufb01ve \uff21", "ten\u00a0euros, \ufb01ve \uff21"),
    ],
)
def test_a_line(line: str, cleaned: str) -> None:
    assert clean(line) == cleaned


def test_lines_keep_their_order_and_number() -> None:
    assert clean_lines(["b\0", "", "a"]) == ["b", "", "a"]


@given(st.text(st.characters()))
def test_cleaning_twice_is_cleaning_once(line: str) -> None:
    cleaned = clean(line)
    assert clean(cleaned) == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in cleaned)
    assert cleaned.encode().decode() == cleaned
