"""Equal to NLTK's word_tokenize, whatever the text."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer, sent_tokenize, word_tokenize

from src.knowledge_store import KnowledgeStore
from src.nltk_words.remembered import RememberedWords
from src.store import read_claims
from src.text import words

PIECES = [
    *(
        "a",
        "The",
        "U.S.",
        "Mr.",
        "don't",
        "'tis",
        '"x"',
        '"',
        "''",
        "``",
        "(",
        ")",
        ".)",
        ".",
        "...",
        "!",
        "?",
        ",",
        ":",
    ),
    *("1,000", "3.5", "%", "$5", "--", "\u2014", "\u201cq\u201d", "\u2019s", "'", "'s", "x.", "y,", "z:", "w;", "a/b"),
    *("[1]", "{", "}", "<b>", "*", "#tag", "@me", "&", "\u2026", "e.g.", "No.", "5", "\u00e9", "\u00df", "cannot"),
    *(
        "Cannot.",
        "gonna",
        "Gotta.",
        "wanna,",
        "wanna",
        "more'n",
        "d'ye",
        "d'ye,",
        "g\u0131mme",
        "le\u017fs",
        "😀",
        "dogs'",
    ),
    *(
        "'90s",
        "a.m.",
        "p.m.)",
        '."',
        '?"',
        '".',
        ".'\"",
        "!)",
        "can-not",
        "_",
        "x_y",
        "''to",
        '"to',
        "to''",
        "l'\u00e9t",
    ),
    *("O'Neil's", "I'm", "we'll", "they'd've", "n't", "N'T", "\u00d7", ",", ":", "😀", "l'\u00e9t"),
]
SPACES = [" ", " ", " ", " ", " ", "", "  ", "\n", "\t", "\u00a0", "\u2009", "\x1c"]


@settings(max_examples=400)
@given(st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=12))
def test_texts_made_of_what_nltk_has_rules_for(parts: list[tuple[str, str]]) -> None:
    text = "".join(piece + space for piece, space in parts)
    assert words(text) == word_tokenize(text)


@settings(max_examples=300)
@given(st.text(max_size=60))
def test_any_text(text: str) -> None:
    assert words(text) == word_tokenize(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "x",
        "your friends and family. )",
        "Jerusalem: ''to Know Who",
        "I cannot. You cannot, he cannot",
        "He said (1.) it is. So",
        "\"He left.\" 'So did I.'",
        "It ends here.\n",
        "U.S. dollars fell. In the U.S.",
        "a \u00d7wanna, b",
        "it is l'I'm' ",
        " it is so",
    ],
)
def test_places_where_a_chunk_meets_its_neighbours(text: str) -> None:
    assert words(text) == word_tokenize(text)


def test_forgetting_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("src.nltk_words.remembered.REMEMBERED", 2)
    cut = RememberedWords(sent_tokenize, NLTKWordTokenizer().tokenize)
    text = "one two, three four: five (six) seven. Eight nine ten!"
    assert [cut(text), cut(text)] == [word_tokenize(text)] * 2


def test_the_sentences_of_the_sample(sample: Path) -> None:
    store = KnowledgeStore(sample / "knowledge_store")
    for claim_id in range(12):
        for sentence in store.sentences(claim_id):
            assert words(sentence.sentence) == word_tokenize(sentence.sentence)


def test_the_sentences_and_answers_of_averitec(shared_data: Path) -> None:
    store = KnowledgeStore(shared_data / "averitec" / "knowledge_store" / "dev")
    texts = [sentence.sentence for claim_id in range(500) for sentence in store.sentences(claim_id)]
    for claim in read_claims(shared_data / "averitec" / "dev.json"):
        answers = [answer.answer for question in claim.questions for answer in question.answers]
        texts += [claim.claim, *(question.question for question in claim.questions), *answers]
    assert [text for text in texts if words(text) != word_tokenize(text)] == []
