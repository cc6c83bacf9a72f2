"""What passages do to a claim, read by a model that answers by words."""

from src.stance.features import FEATURES, features
from src.stance.records import Passage, Side
from tests.stance.scripted import reader

CLAIM = "The eel of Ansel swims to the sea."
YES, NO, OTHER = Passage("Yes, it does."), Passage("No, it stays."), Passage("Trout are fish.")
EVEN = [-1.386] * 4  # log-probabilities of a joint model
POST = Passage("Share this: the eel of Ansel swims to the sea! Yes.", "https://forum.example/")


def test_each_passage_has_its_side() -> None:
    read, _ = reader()
    (found,) = read.read([(CLAIM, [YES, NO, OTHER])])
    assert [one.side for one in found.passages] == [Side.FOR, Side.AGAINST, Side.NEITHER]
    assert found.side is Side.NEITHER


def test_a_repetition_counts_for_nothing() -> None:
    read, model = reader()
    (found,) = read.read([(CLAIM, [POST, NO])])
    assert [one.side for one in found.passages] == [Side.REPEATS, Side.AGAINST]
    assert found.passages[0].force == 0
    assert found.side is Side.AGAINST
    together = [one for one in model.asked if len(one.passages) > 1]
    assert together == []


def test_a_page_that_quotes_the_claim_to_correct_it_is_evidence() -> None:
    read, _ = reader()
    quoting = Passage(
        "A post says: the eel of Ansel swims to the sea. No, the warden answers.", "https://forum.example/"
    )
    (found,) = read.read([(CLAIM, [quoting])])
    assert found.passages[0].side is Side.AGAINST


def test_nothing_is_asked_twice() -> None:
    read, model = reader()
    read.read([(CLAIM, [YES, NO])])
    asked = len(model.asked)
    read.read([(CLAIM, [YES, NO])])
    assert len(model.asked) == asked == 3


def test_no_passage_says_nothing() -> None:
    read, _ = reader()
    (found,) = read.read([(CLAIM, [])])
    assert (found.passages, found.side, found.force) == ((), Side.NEITHER, 0)


def test_features_have_their_names_and_ignore_repetitions() -> None:
    read, _ = reader()
    with_post, without = read.read([(CLAIM, [POST, YES]), (CLAIM, [YES])])
    found = dict(zip(FEATURES, features(with_post, EVEN), strict=True))
    plain = dict(zip(FEATURES, features(without, EVEN), strict=True))
    assert found["repeated"] == 0.5
    assert {name: value for name, value in found.items() if name != "repeated"} == {
        name: value for name, value in plain.items() if name != "repeated"
    }
