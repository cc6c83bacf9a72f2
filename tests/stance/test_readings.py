"""The features of one or two verdict models for the passages of a claim."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from src.models.evidence_rows import Input
from src.stance.readings import FEATURES, Readings
from src.stance.records import Passage
from tests.stance.scripted import ScriptedJoint

if TYPE_CHECKING:
    from torch import Tensor

YES, NO = Passage("Yes, all of them do."), Passage("No, none of them does.")
POST = Passage("Share this: eels swim! Yes.", "https://forum.example/")


class Contrary(ScriptedJoint):
    """Verdict model that supports what `ScriptedJoint` refutes, and vice versa."""

    def log_probabilities(self, inputs: Sequence[Input]) -> "Tensor":
        return super().log_probabilities(inputs)[:, [1, 0, 2, 3]]


def test_nothing_is_read_of_nothing() -> None:
    assert Readings([ScriptedJoint(), ScriptedJoint()]).features([]) == []
    assert Readings([ScriptedJoint(), ScriptedJoint()]).features([("Eels swim.", [])]) == [[]]


def test_features_have_their_names_and_ignore_repetitions() -> None:
    both, with_post, alone = Readings([ScriptedJoint()]).features(
        [("Eels swim.", [YES, NO]), ("Eels swim.", [POST, YES]), ("Eels swim.", [POST])]
    )
    named = dict(zip(FEATURES, both, strict=True))
    assert named["for_1"] == named["against_1"] > 0 > named["for_2"]
    assert named["both"] == pytest.approx(0.9)
    named = dict(zip(FEATURES, with_post, strict=True))
    assert named["for_2"] == pytest.approx(-4.595, abs=1e-3)
    assert alone == []


def test_repetitions_are_not_read_together_with_the_rest() -> None:
    model = ScriptedJoint()
    other = Passage("All of them do.")
    Readings([model]).features([("Eels swim.", [Passage("A post says: Eels swim."), other])])
    assert model.inputs[-1] == ("Eels swim.", [("", other.text)])


def test_two_readers_read_the_same_passages_and_the_first_says_what_repeats() -> None:
    first, second = ScriptedJoint(), Contrary()
    claims = [("Eels swim.", [POST]), ("Eels swim.", [POST, YES, NO, YES])]
    repeated, both = Readings([first, second]).features(claims)
    assert repeated == []
    own, other = both[: len(FEATURES)], both[len(FEATURES) :]
    shown = [("Eels swim.", [YES, NO, YES])]
    assert [own] == Readings([ScriptedJoint()]).features(shown)
    assert [other] == Readings([Contrary()]).features(shown)
    assert own != other
    assert [len(one[1]) for one in first.inputs] == [1, 1, 1, 1, 1, 3]  # each alone, then what does not only repeat
    assert [len(one[1]) for one in second.inputs] == [1, 1, 1, 3]


def test_the_second_reader_does_not_say_what_repeats() -> None:
    claims = [("Eels swim.", [POST, YES])]
    (by_first,) = Readings([Contrary(), ScriptedJoint()]).features(claims)  # to it, the post corrects the claim
    (alone,) = Readings([Contrary()]).features(claims)
    assert by_first[: len(FEATURES)] == alone
    assert dict(zip(FEATURES, by_first[len(FEATURES) :], strict=True))["for_2"] > 0
