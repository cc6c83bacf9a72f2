"""Statements as yes-no questions: a table of forms, and what holds for every statement."""

import sys
from collections import Counter
from itertools import product

import pytest

from src import spacy_pipelines
from src.errors import MissingExtra
from src.programs import yes_no
from src.programs.yes_no import questions
from src.text import folded, same

TURNED = [
    # the copula and auxiliaries move
    ("Ann was born in Lund.", "Was Ann born in Lund?"),
    ("Ann is not a singer.", "Is Ann not a singer?"),
    ("Ann isn't a singer.", "Isn't Ann a singer?"),
    ("Ann can swim", "Can Ann swim?"),
    ("Ann can't swim.", "Can't Ann swim?"),
    ("Ann cannot swim.", "Can Ann not swim?"),
    ("Ann won't swim!", "Won't Ann swim?"),
    ("Ann doesn't live in Lund.", "Doesn't Ann live in Lund?"),
    ("Ann has never lived in Lund.", "Has Ann never lived in Lund?"),
    ("Ann would have been elected.", "Would Ann have been elected?"),
    ("Ann knows who Bob is", "Does Ann know who Bob is?"),
    ("She is", "Is she?"),
    ("The two lakes are deep.", "Are the two lakes deep?"),
    ("It is blue.", "Is it blue?"),
    ("The mayor of Arvidal was arrested and charged.", "Was the mayor of Arvidal arrested and charged?"),
    ("The bridge, which was built in 1910, is old.", "Is the bridge, which was built in 1910, old?"),
    ("The bridge is, however, old.", "Is the bridge, however, old?"),
    # there
    ("There were two towns in the vale.", "Were there two towns in the vale?"),
    ("There has been a flood in Arvidal.", "Has there been a flood in Arvidal?"),
    # do
    ("Ann lives in Lund.", "Does Ann live in Lund?"),
    ("Ann moved to Lund.", "Did Ann move to Lund?"),
    ("The towns have two mills.", "Do the towns have two mills?"),
    ("Ann had three sons.", "Did Ann have three sons?"),
    ("Ann did the work.", "Did Ann do the work?"),
    ("Ann put a book there.", "Did Ann put a book there?"),
    ("Ann and Bob live in Lund.", "Do Ann and Bob live in Lund?"),
    ("He used to smoke.", "Did he use to smoke?"),
    ("Ann never sang in public.", "Did Ann never sing in public?"),
    ("The film that Ann directed won a prize.", "Did the film that Ann directed win a prize?"),
    ("Ann said that Bob was ill.", "Did Ann say that Bob was ill?"),
    ('Ann wrote "The Red Mill" in 1931.', 'Did Ann write "The Red Mill" in 1931?'),
    ("Washing hands with soap will prevent colds.", "Will washing hands with soap prevent colds?"),
    # verbs that share it
    ("Ann sang and danced.", "Did Ann sing and dance?"),
    ("Ann came, saw the mill and bought it.", "Did Ann come, see the mill and buy it?"),
    ("The mayor leads the council and chairs its meetings.", "Does the mayor lead the council and chair its meetings?"),
    # what leads stays in front
    ("In 1990, Ann sang.", "In 1990, did Ann sing?"),
    ("In the spring of 1990 the river flooded the town.", "In the spring of 1990, did the river flood the town?"),
    ("When Ann was young, she lived in Lund.", "When Ann was young, did she live in Lund?"),
    ("Last year, the town had two mills.", "Last year, did the town have two mills?"),
    ("Later, the agency rated the town as safe.", "Later, did the agency rate the town as safe?"),
    ("But the town is small.", "But is the town small?"),
    # small letters, except for names, acronyms and "I"
    ("The mill burned down.", "Did the mill burn down?"),
    ("Former president Orla Quint died.", "Did former president Orla Quint die?"),
    ("Water boils at 90 degrees in the hills.", "Does water boil at 90 degrees in the hills?"),
    ("American farmers grow maize.", "Do American farmers grow maize?"),
    ("Irish is a language.", "Is Irish a language?"),
    ("NATO has members.", "Does NATO have members?"),
    ("I live in Lund.", "Do I live in Lund?"),
    ("U.S. troops left the U.S.", "Did U.S. troops leave the U.S.?"),
    ("COVID-19 is a disease...", "Is COVID-19 a disease?"),
    # no mark before the question's own, but for abbreviations'
    ("The mill is in sector B.", "Is the mill in sector B?"),
    ("The mill is old;", "Is the mill old?"),
    ("The mill is old.:", "Is the mill old?"),
    ("A.", "Is it true that A?"),
    ("Ann is at Arvidal Inc.", "Is Ann at Arvidal Inc.?"),
]
UNCLEAR = [
    "Ann sang and Bob danced.",  # a second subject
    "Ann was ill and went home.",  # verbs that share no auxiliary
    "The law lets the mayor choose and the council has no say in it.",
    "Ann may be ill.",  # "May Ann be ill?" would be another question
    "Ann wants to sing and dances well.",
    "Ann is a singer and lives in Lund.",
    "Who wrote the book?",
    "Is Ann old?",
    "Close the door.",
    "The mill is old. The bridge is new.",
    "“The mill is old.”",
    "“We will win” was on the wall.",
    "A photograph of the mill.",
    "The mill is old, Ann says.",
    "He's old.",
    "Ann could've sung.",  # "'ve" cannot stand alone
    "Ann shouldn\u2019t\u2019ve gone.",
    "Ann would've.",
    "ANN LIVES IN LUND.",
    "Die Mühle steht seit vielen Jahren am Fluss.",
    "Le moulin est vieux et la rivière est large.",
    "Ann lives in Lund" + " near the mill by the river" * 10,
]
ADDED = {"do", "does", "did"}
PARTS = (
    ("In 1990, ", "Although it rained, ", "In Arvidal "),
    ("Ann", "the old mayor of Arvidal", "two farmers who lived there"),
    ("sold the mill", "has not sold the mill", "is in Lund", "bought, repaired and sold mills", "can never go", "sing"),
    (".", "", " in the U.S.", ", which was new."),
)
MADE = [f"{lead}{subject} {verb}{end}" for lead, subject, verb, end in product(*PARTS)]


@pytest.mark.parametrize(("statement", "question"), TURNED)
def test_a_clear_statement_is_turned(statement: str, question: str) -> None:
    assert questions([statement]) == [question]


@pytest.mark.parametrize("statement", UNCLEAR)
def test_an_unclear_statement_becomes_is_it_true_that(statement: str) -> None:
    (question,) = questions([statement])
    assert folded(question) == f"is it true that {folded(statement).rstrip('.?')}?"


def test_no_word_is_lost_or_changed() -> None:
    statements = [*(statement for statement, _ in TURNED), *UNCLEAR, *MADE]
    turned = questions(statements)
    for statement, question in zip(statements, turned, strict=True):
        before, after = Counter(bases(statement)), Counter(bases(question.removeprefix("Is it true that ")))
        assert not before - after, question
        assert set(after - before) <= ADDED, question
        assert (after - before).total() <= 1, question
        assert question.endswith("?"), question
    assert sum(not one.startswith("Is it true that") for one in turned[-len(MADE) :]) > len(MADE) / 2


def bases(text: str) -> list[str]:
    """Its words, of the verbs above the base forms."""
    return [BASES.get(word, word) for word in same(text.replace("cannot", "can not")).split()]


BASES = {
    "boils": "boil", "bought": "buy", "burned": "burn", "came": "come", "chairs": "chair", "danced": "dance",
    "did": "do", "died": "die", "flooded": "flood", "had": "have", "has": "have", "knows": "know",
    "leads": "lead", "left": "leave", "lived": "live", "lives": "live", "moved": "move", "rated": "rate",
    "repaired": "repair", "said": "say",
    "sang": "sing", "saw": "see", "sold": "sell", "used": "use", "won": "win", "wrote": "write",
}  # fmt: skip


def test_the_order_and_the_number_of_statements_stay() -> None:
    statements = [statement for statement, _ in TURNED] * 4
    assert questions(statements) == [question for _, question in TURNED] * 4
    assert questions([]) == []


def test_white_space_does_not_matter() -> None:
    assert questions(["  Ann \n was  born in Lund. "]) == ["Was Ann born in Lund?"]


def test_the_error_for_missing_spacy_has_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    yes_no._english.cache_clear()
    monkeypatch.setattr(spacy_pipelines, "_load", spacy_pipelines._load.__wrapped__)
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(MissingExtra, match="spaCy is not installed; run: pip install spacy"):
        questions(["Ann sang."])
