"""Our own words: stems, numbers and names, without what stands in every text."""

import re
from importlib.metadata import version

import pytest

from src.reranking.hybrid.own_words import VERSION, own_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The ministers were voting on it", ["minist", "vote"]),
        ("Don\u2019t panic, we won't", ["panic"]),
        ("paid $1,500.50 (3.5%) to 2,000,000 people", ["paid", "1500.50", "3.5", "2000000", "peopl"]),
        ("at 10:30 on 12/10/2020", ["10:30", "12", "10", "2020"]),
        ("#MeToo COVID-19 na\u00efve caf\u00e9s", ["metoo", "covid", "19", "na\u00efv", "caf\u00e9"]),
        ("\u0391\u03b8\u03ae\u03bd\u03b1 \u5317\u4eac", ["\u03b1\u03b8\u03ae\u03bd\u03b1", "\u5317\u4eac"]),
        ("The U.S. and the US asked the WHO who it was", ["us", "us", "ask", "who"]),
        ("Mr. A.B. Smith's a.m. call", ["mr", "ab", "smith", "call"]),
        ("... -- '' \u201c\u201d _", []),
        ("", []),
    ],
)
def test_words_of_a_text(text: str, words: list[str]) -> None:
    assert own_words(text) == words


def test_forms_of_a_word_meet() -> None:
    assert own_words("Elections elected electing") == own_words("election elects elect")


def test_a_chunk_without_end() -> None:
    link = "https://example.org/" + "election-results/" * 60_000
    words = own_words(link)
    assert (len(words), words[-2:]) == (3 + 120_000, ["elect", "result"])


def test_the_cache_version_names_the_rules_and_the_stemmer() -> None:
    assert re.fullmatch(rf"own [0-9a-f]{{16}}, PyStemmer {re.escape(version('PyStemmer'))}", VERSION)
