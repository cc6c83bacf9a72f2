"""Stances of passages, by a model that answers by words."""

from src.records import Side
from src.stance.records import Passage
from tests.stance.scripted import reader

CLAIM = "The eel of Ansel swims to the sea."
YES, NO, OTHER = Passage("Yes, it does."), Passage("No, it stays."), Passage("Trout are fish.")
POST = Passage("Share this: the eel of Ansel swims to the sea! Yes.", "https://forum.example/")


def test_each_passage_has_its_side() -> None:
    read, _ = reader()
    (stances,) = read.stances([(CLAIM, [YES, NO, OTHER])])
    assert [one.side for one in stances] == [Side.FOR, Side.AGAINST, Side.NEITHER]


def test_a_repetition_counts_for_nothing() -> None:
    read, _ = reader()
    (stances,) = read.stances([(CLAIM, [POST, NO])])
    assert [one.side for one in stances] == [Side.REPEATS, Side.AGAINST]
    assert stances[0].force == 0


def test_a_page_that_quotes_the_claim_to_correct_it_is_evidence() -> None:
    read, _ = reader()
    quoting = Passage(
        "A post says: the eel of Ansel swims to the sea. No, the warden answers.", "https://forum.example/"
    )
    (stances,) = read.stances([(CLAIM, [quoting])])
    assert stances[0].side is Side.AGAINST


def test_no_passage_says_nothing() -> None:
    read, model = reader()
    assert read.stances([(CLAIM, [])]) == [()]
    assert not model.premises
