"""Many texts at once: the words of each as NLTK cuts it, whatever the texts."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import word_tokenize

from src import vocabulary as blocks
from src.knowledge_store import KnowledgeStore
from src.nltk_words import remembered
from src.text import numbered_words
from tests.nltk_words.test_remembered import PIECES, SPACES
from tests.test_vocabulary import texts_of

made_of_pieces = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=12).map(
    lambda parts: "".join(piece + space for piece, space in parts)
)
chunks = st.text("aA.?!\"')]}-,:5 \u201d\u2019", max_size=14)  # what punkt and the rules of NLTK look at


def assert_as_nltk(texts: list[str]) -> None:
    found = numbered_words(texts)
    expected = [word_tokenize(text) for text in texts]
    assert texts_of(found) == expected
    assert list(found.vocabulary) == list(dict.fromkeys(word for words in expected for word in words))


@settings(max_examples=150)
@given(st.lists(made_of_pieces, max_size=6))
def test_texts_made_of_what_nltk_has_rules_for(texts: list[str]) -> None:
    assert_as_nltk(texts)


@settings(max_examples=150)
@given(st.lists(chunks | st.text(max_size=40), max_size=6))
def test_any_texts(texts: list[str]) -> None:
    assert_as_nltk(texts)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "  two  spaces ",
        "said \"No.\" Then he left.",
        "He left (at 5.) ) Then",
        "He left.] --So did I.",
        "He left. ') --So did I.",
        'It ended. " Why',
        "Mr. Smith of the U.S. left. In the U.S. it is so",
        "No. 5 ended in 2020. It was so. J. Bach",
        "Why?! Since!! so... It was. . . so",
        "\ue000 a \ue000b. \ue000",
        "wanna. more'n cannot-be, can-not gim-me. gimme",
        "19-year-old. etc. x-etc. So a.m. it",
        "1,000. 1.5, 1,a a,1 1,000,5: 3.5-cannot cannot.5 Gotta,5",
    ],
)  # fmt: skip
def test_chunks_that_meet(text: str) -> None:
    assert_as_nltk([text, f"It is. {text}", f"{text} It is.", "so", f'"{text}"'])


def test_neither_blocks_nor_forgetting_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks, "BLOCK", 2)
    monkeypatch.setattr(remembered, "REMEMBERED", 3)
    monkeypatch.setattr(remembered, "TOGETHER", 2)
    assert_as_nltk(['one (two), "three"', "  odd", "four-(five)? $6 7% #eight", "", "#eight 7% again."] * 2)


def test_the_sentences_of_averitec(shared_data: Path) -> None:
    store = KnowledgeStore(shared_data / "averitec" / "knowledge_store" / "dev")
    assert_as_nltk([sentence.sentence for claim_id in range(0, 500, 5) for sentence in store.sentences(claim_id)])
