"""Words and sentences of NLTK 3.9.1."""

import importlib.metadata
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.errors import MissingExtra
from src.text import require_nltk, sentences, stop_words, words


def test_words_keep_case_and_punctuation() -> None:
    assert words("The U.S. didn't pay $4.50!") == ["The", "U.S.", "did", "n't", "pay", "$", "4.50", "!"]
    assert words('He said "no".') == ["He", "said", "``", "no", "''", "."]


def test_sentences_come_without_surrounding_white_space() -> None:
    assert sentences("  Dr. Wu left. She came back! ") == ["Dr. Wu left.", "She came back!"]


@pytest.mark.parametrize(
    "text", ["", " \n\t", "\u200f\u0645\u0631\u062d\u0628\u0627", "\U0001f600" * 50, "\x00\x07", "\ufeff"]
)
def test_odd_texts_are_cut_without_complaint(text: str) -> None:
    assert all(words(text))
    assert all(sentences(text))


@given(st.text(max_size=200))
def test_any_text_is_cut_the_same_way_twice(text: str) -> None:
    assert words(text) == words(text)


def test_stop_words_are_those_of_nltk() -> None:
    assert len(stop_words()) == 198
    assert {"the", "not", "wouldn't"} < stop_words()


def test_the_error_of_missing_stop_words_has_the_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from nltk.corpus import stopwords

    def missing(language: str) -> list[str]:
        raise LookupError

    stop_words.cache_clear()
    monkeypatch.setattr(stopwords, "words", missing, raising=False)
    with pytest.raises(MissingExtra, match=r"stop words is not installed; run: bash script/quickstart\.sh"):
        stop_words()


def test_another_release_of_nltk_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.metadata, "version", lambda name: "3.9.2")
    with pytest.raises(MissingExtra, match=r"NLTK 3\.9\.1 is needed \(found 3\.9\.2\).*pip install nltk==3\.9\.1"):
        require_nltk()


def test_sentences_are_cut_without_numpy() -> None:
    code = "import sys, src.retrieval.pages.worker; raise SystemExit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
