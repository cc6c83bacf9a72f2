"""What is no error, or gives itself away, is not planted."""

from collections.abc import Sequence

import pytest

from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import Error, Kind
from src.explanation.synthetic_errors.scene import Elsewhere, elsewhere, scenes
from src.explanation.synthetic_errors.word_lists import TEST, TRAIN, WordLists
from src.records import QAPair
from src.spacy_pipelines import FROM_PYPI, load


def drawn(
    kind: Kind,
    text: str,
    evidence: Sequence[str] = ("Eels swim in rivers.",),
    *,
    label: str = "Refuted",
    others: Elsewhere | None = None,
    lists: WordLists = TRAIN,
    **more: str,
) -> list[tuple[str, Error]]:
    """What many seeds plant."""
    pairs = [QAPair("What is known?", one) for one in evidence]
    claim = ExplainedClaim(0, "Something was said.", label, pairs, explanation=text, **more)  # type: ignore[arg-type]
    (scene,) = scenes([claim], load(FROM_PYPI, []))
    found = [plant(scene, kind, others or elsewhere([scene]), lists, seed) for seed in range(30)]
    return [one for one in found if one is not None]


@pytest.mark.parametrize(
    "text",
    [
        "The claim is refuted.",
        "This evidence is incorrect.",
        "Eels cannot fly.",
        "Eels neither swim nor do they not fly.",
        "Germany borders France.",
    ],
)
def test_no_event_is_reversed(text: str) -> None:
    assert [one for one, _ in drawn(Kind.INTRINSIC_EVENT, text)] == []


def test_a_denial_is_taken_out_or_put_in() -> None:
    assert {text for text, _ in drawn(Kind.INTRINSIC_EVENT, "Eels do not swim.")} == {"Eels do swim."}
    assert {text for text, _ in drawn(Kind.INTRINSIC_EVENT, "Eels were seen.")} == {"Eels were not seen."}


def test_who_did_it_changes_place_with_whom_it_was_done_to() -> None:
    found = {text for text, _ in drawn(Kind.INTRINSIC_EVENT, "Germany invaded Poland.")}
    assert found == {"Poland invaded Germany."}


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        ("America banned the app.", "The U.S. banned it."),
        ("She was born in Britain.", "She was born in the United Kingdom."),
    ],
)
def test_another_form_of_a_name_is_no_other_name(text: str, evidence: str) -> None:
    assert drawn(Kind.INTRINSIC_ENTITY, text, [evidence]) == []


def test_another_form_of_a_name_is_not_extrinsic() -> None:
    others = Elsewhere({"GPE": ["U.S.", "USA", "America"]}, [])
    assert drawn(Kind.EXTRINSIC_ENTITY, "Britain banned it.", ["The United States did not."], others=others) == []
    others = Elsewhere({"GPE": ["Norway"]}, [])
    found = drawn(Kind.EXTRINSIC_ENTITY, "Britain banned it.", ["The United States did not."], others=others)
    assert {text for text, _ in found} == {"Norway banned it."}


def test_an_extrinsic_number_is_told_nowhere_not_in_words_nor_as_the_date() -> None:
    text, evidence = "It took 5 years.", ["It took one, two, three, four, six, seven or eight years."]
    assert {error.span for _, error in drawn(Kind.EXTRINSIC_NUMBER, text, evidence)} <= {"9"}
    dates = [error.span for _, error in drawn(Kind.EXTRINSIC_NUMBER, "It was in 2019.", claim_date="31-10-2020")]
    assert dates
    assert "2020" not in dates


def test_numbers_are_told_apart_by_value_and_times_are_none() -> None:
    assert drawn(Kind.INTRINSIC_NUMBER, "The 7 men left.", ["There were 7.0 men."]) == []
    assert drawn(Kind.INTRINSIC_NUMBER, "The 7 men left.", ["It took 10, 000 crowns at 10:30."]) != []
    spans = {error.span for _, error in drawn(Kind.INTRINSIC_NUMBER, "The 7 men left.", ["At 10:30, 1, 000 came."])}
    assert not spans & {"000", "30"}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("A few eels swim", "few"),
        ("They may not swim", "may"),
        ("It is most important", "most"),
        ("Very often so", "often"),
    ],
)
def test_a_word_that_does_not_limit_alone_stays(text: str, word: str) -> None:
    assert drawn(Kind.OVERGENERALISATION, text) == []
    assert word in TRAIN.narrow


def test_an_abbreviation_keeps_its_full_stop() -> None:
    assert drawn(Kind.EXTRINSIC_EVENT, "Eels also live in the U.S.") == []
    assert all(text.endswith(" U.S.") for text, _ in drawn(Kind.OVERGENERALISATION, "Eels also live in the U.S."))


def test_a_denied_verdict_is_not_turned_round() -> None:
    for text, error in drawn(Kind.FLIPPED_CONCLUSION, "No one can say that the claim is true.", lists=TEST):
        assert text.startswith("No one can say that the claim is true.")
        assert error.was == ""


def test_a_modifier_stands_alone_before_its_noun() -> None:
    evidence = ["The rich painter bought an old mill."]
    assert drawn(Kind.INTRINSIC_NOUN_PHRASE, "It was an expensive house.", evidence) == []
    assert all("80 %" in text or "80%" in text for text, _ in drawn(Kind.INTRINSIC_NOUN_PHRASE, "80% came.", evidence))
