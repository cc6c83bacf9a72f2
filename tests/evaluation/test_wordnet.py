"""The module's reading of WordNet against NLTK's."""

import zipfile
from pathlib import Path

import nltk.data
import pytest
from nltk.corpus import wordnet as nltk_wordnet

from src.errors import MissingExtra
from src.evaluation import wordnet
from src.evaluation.wordnet import PartOfSpeech, synonyms

SUFFIXES = ("", "s", "es", "ies", "ed", "ing", "er", "est", "men", "ches")


def nltk_synonyms(word: str) -> set[str]:
    lemmas = (lemma.name() for synset in nltk_wordnet.synsets(word) for lemma in synset.lemmas())
    return {name for name in lemmas if "_" not in name}


@pytest.fixture(scope="module")
def vocabulary() -> list[str]:
    """Return words of all kinds: lemmas, lemmas with an ending, and irregular forms."""
    lemmas = sorted(nltk_wordnet.all_lemma_names())[::40]
    inflected = [lemma + SUFFIXES[place % len(SUFFIXES)] for place, lemma in enumerate(lemmas)]
    irregular = [form for forms in nltk_wordnet._exception_map.values() for form in sorted(forms)[::10]]
    return [*lemmas, *inflected, *irregular]


def test_synonyms_are_those_of_nltk(vocabulary: list[str]) -> None:
    assert len(vocabulary) > 8000
    assert [word for word in vocabulary if synonyms(word) != nltk_synonyms(word)] == []


@pytest.mark.parametrize(
    "word", ["", ".", "s", "men", "ing", "a b", "a n", "a\nb", "Dog", "GEESE", "n't", "café", "\ud800", "(a)", "_"]
)
def test_odd_words_are_those_of_nltk(word: str) -> None:
    assert synonyms(word) == nltk_synonyms(word)


def test_names_keep_their_case_and_lose_their_marker() -> None:
    assert "Paris" in synonyms("paris")
    assert "galore" in synonyms("galore")  # galore(ip) in the file
    assert "flip" in synonyms("flipping")
    assert not any("_" in name or "(" in name for name in synonyms("hot"))


def test_a_word_that_wordnet_lacks_has_no_synonyms() -> None:
    assert synonyms("xyzzyx") == frozenset()


def test_another_version_is_refused() -> None:
    files = {"data.adv": b"  1 WordNet 3.1 Copyright 2011\n", "index.adv": b"a r 1 0 1 0 00000000\n", "adv.exc": b""}
    with pytest.raises(MissingExtra, match=r"WordNet 3\.0 is needed"):
        PartOfSpeech("adv", files.__getitem__)


def test_a_shortened_index_is_refused() -> None:
    files = {"data.adv": b"  1 WordNet 3.0 Copyright 2006\n", "index.adv": b"a r 1 0 1 0 00000000\n", "adv.exc": b""}
    with pytest.raises(MissingExtra, match=r"WordNet 3\.0 is needed"):
        PartOfSpeech("adv", files.__getitem__)


def test_missing_wordnet_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nltk.data, "path", [])
    with pytest.raises(MissingExtra, match=r"quickstart\.sh"):
        wordnet._parts.__wrapped__()


def test_a_zipped_wordnet_is_read_as_well(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = Path(str(nltk.data.find("corpora/wordnet")))
    (tmp_path / "corpora").mkdir()
    with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w") as archive:
        archive.writestr("wordnet/", "")
        for file in sorted(folder.iterdir()):
            archive.write(file, f"wordnet/{file.name}")
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path)])
    parts = wordnet._parts.__wrapped__()
    assert [wordnet._lemmas(part.index) for part in parts] == [117798, 11529, 21479, 4481]
