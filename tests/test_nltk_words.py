"""Words equal those of NLTK's word_tokenize, for any text, one by one and in bulk."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.tokenize import NLTKWordTokenizer, sent_tokenize, word_tokenize

from src import nltk_words, vocabulary
from src.knowledge_store import KnowledgeStore
from src.nltk_words import RememberedWords
from src.store import read_claims
from src.text import numbered_words, words
from tests.test_vocabulary import texts_of

PIECES = "".join((
    'a The U.S. Mr. don\'t \'tis "x" " \'\' `` ( ) .) . ... ! ? , : 1,000 3.5 % $5 -- \u2014 \u201cq\u201d ',
    "\u2019s ' 's x. y, z: w; a/b [1] { } <b> * #tag @me & \u2026 e.g. No. 5 \xe9 \xdf cannot Cannot. gonna ",
    'Gotta. wanna, wanna more\'n d\'ye d\'ye, g\u0131mme le\u017fs \U0001f600 dogs\' \'90s a.m. p.m.) ." ?" ". ',
    '.\'" !) can-not _ x_y \'\'to "to to\'\' l\'\xe9t O\'Neil\'s I\'m we\'ll they\'d\'ve n\'t N\'T \xd7 ',
)).split()  # fmt: skip
SPACES = [" ", " ", " ", " ", " ", "", "  ", "\n", "\t", "\u00a0", "\u2009", "\x1c"]
TEXTS = [
    "",
    " ",
    "x",
    "  two  spaces ",
    " it is so",
    "It ends here.\n",
    "your friends and family. )",
    "Jerusalem: ''to Know Who",
    "I cannot. You cannot, he cannot",
    "He said (1.) it is. So",
    "\"He left.\" 'So did I.'",
    'said "No." Then he left.',
    "He left (at 5.) ) Then",
    "He left.] --So did I.",
    "He left. ') --So did I.",
    'It ended. " Why',
    "U.S. dollars fell. In the U.S.",
    "Mr. Smith of the U.S. left. In the U.S. it is so",
    "No. 5 ended in 2020. It was so. J. Bach",
    "Why?! Since!! so... It was. . . so",
    "a \u00d7wanna, b",
    "it is l'I'm' ",
    "\ue000 a \ue000b. \ue000",
    "wanna. more'n cannot-be, can-not gim-me. gimme",
    "19-year-old. etc. x-etc. So a.m. it",
    "1,000. 1.5, 1,a a,1 1,000,5: 3.5-cannot cannot.5 Gotta,5",
]
made_of_pieces = st.lists(st.tuples(st.sampled_from(PIECES), st.sampled_from(SPACES)), max_size=12).map(
    lambda parts: "".join(piece + space for piece, space in parts)
)
chunks = st.text("aA.?!\"')]}-,:5 \u201d\u2019", max_size=14)  # what punkt and the rules of NLTK look at


def assert_as_nltk(texts: list[str]) -> None:
    """Check the words of each text alone, then those of all at once."""
    expected = [word_tokenize(text) for text in texts]
    assert [words(text) for text in texts] == expected
    numbered = numbered_words(texts)
    assert texts_of(numbered) == expected
    assert list(numbered.vocabulary) == list(dict.fromkeys(word for words in expected for word in words))


@settings(max_examples=300)
@given(st.lists(made_of_pieces, max_size=6))
def test_texts_made_of_what_nltk_has_rules_for(texts: list[str]) -> None:
    assert_as_nltk(texts)


@settings(max_examples=300)
@given(st.lists(chunks | st.text(max_size=60), max_size=6))
def test_any_texts(texts: list[str]) -> None:
    assert_as_nltk(texts)


@pytest.mark.parametrize("text", TEXTS)
def test_chunks_that_meet(text: str) -> None:
    assert_as_nltk([text, f"It is. {text}", f"{text} It is.", "so", f'"{text}"'])


def test_neither_blocks_nor_emptied_caches_change_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "BLOCK", 2)
    monkeypatch.setattr(nltk_words, "REMEMBERED", 3)
    monkeypatch.setattr(nltk_words, "TOGETHER", 2)
    assert_as_nltk(['one (two), "three"', "  odd", "four-(five)? $6 7% #eight", "", "#eight 7% again."] * 2)
    cut = RememberedWords(sent_tokenize, NLTKWordTokenizer().tokenize)
    text = "one two, three four: five (six) seven. Eight nine ten!"
    assert [cut(text), cut(text)] == [word_tokenize(text)] * 2


def test_the_sentences_of_the_sample(sample: Path) -> None:
    store = KnowledgeStore(sample / "knowledge_store")
    texts = [sentence.sentence for claim_id in range(12) for sentence in store.sentences(claim_id)]
    assert len(texts) > 500
    assert_as_nltk(texts)


def test_the_sentences_and_answers_of_averitec(shared_data: Path) -> None:
    store = KnowledgeStore(shared_data / "averitec" / "knowledge_store" / "dev")
    texts = [sentence.sentence for claim_id in range(500) for sentence in store.sentences(claim_id)]
    for claim in read_claims(shared_data / "averitec" / "dev.json"):
        answers = [answer.answer for question in claim.questions for answer in question.answers]
        texts += [claim.claim, *(question.question for question in claim.questions), *answers]
    assert len(texts) > 10_000
    assert_as_nltk(texts)
