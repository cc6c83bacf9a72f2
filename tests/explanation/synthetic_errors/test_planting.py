"""Planted errors, places where none may be planted, and the recall of checks."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from src.explanation.checks.checker import Checker
from src.explanation.checks.grounds import Grounds
from src.explanation.checks.rules import wider_quantifiers
from src.explanation.checks.verdicts import sides
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Error, Kind, PlantedClaim
from src.explanation.synthetic_errors.scene import Elsewhere, Scene, elsewhere, scenes
from src.explanation.synthetic_errors.scores import recall, share
from src.explanation.synthetic_errors.word_lists import LISTS, TEST, TRAIN, WordLists
from src.explanation.typology import ErrorType
from src.records import QAPair, Verdict
from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences

MILL = ExplainedClaim(
    0, "Carl Berg built the old mill of Lund in 1950.", Verdict.REFUTED,
    [
        QAPair("Who built the mill?", "The mill was built by Sarah Miller in 1912 for 3,000 crowns."),
        QAPair("Who is Carl Berg?", "Carl Berg is a rich painter who visited Oslo in 1950 with 40 boys."),
    ],
    explanation="The mill was built by Sarah Miller in 1912. It cost 3,000 crowns. The painter did not build the mill.",
)  # fmt: skip
LAKE = ExplainedClaim(
    1, "Greta Holm swam across the lake.", Verdict.SUPPORTED,
    [
        QAPair("Did she swim?", "Newspapers reported that Greta Holm swam across the frozen lake twice during winter."),
        QAPair("Who saw it?", "The fishermen of three villages watched from their boats until evening."),
    ],
    explanation="Newspapers reported it.",
)  # fmt: skip


@cache
def stage() -> Sequence[Scene]:
    return list(scenes([MILL, LAKE], load(FROM_PYPI, [])))


def planted(kind: Kind, words: str = "test", seed: int = 0) -> tuple[str, Error]:
    planted = plant(stage()[0], kind, elsewhere(stage()), LISTS[words], seed)
    assert planted is not None
    return planted


@pytest.mark.parametrize("words", list(LISTS))
@pytest.mark.parametrize("kind", IN_A_SENTENCE)
def test_one_error_and_nothing_else(kind: Kind, words: str) -> None:
    for seed in range(5):
        text, error = planted(kind, words, seed)
        twin = list(stage()[0].sentences)
        assert error.type is kind.type
        assert text[error.start :].startswith(error.span)
        texts = sentences(text)
        if len(texts) > len(twin):
            assert texts.pop(error.sentence) == error.span
            assert texts == twin
        else:
            changed = [one != other for one, other in zip(texts, twin, strict=True)]
            assert changed == [at == error.sentence for at in range(len(twin))]
            assert text[: error.start] + error.was + text[error.start + len(error.span) :] == MILL.explanation


def test_the_same_seed_plants_the_same() -> None:
    assert [planted(kind) for kind in IN_A_SENTENCE] == [planted(kind) for kind in IN_A_SENTENCE]
    assert len({planted(Kind.EXTRINSIC_NOUN_PHRASE, seed=seed)[0] for seed in range(9)}) > 1


def test_extrinsic_is_nowhere_and_intrinsic_in_the_source() -> None:
    source = " ".join([MILL.claim, *(f"{pair.question} {pair.answer}" for pair in MILL.evidence)])
    assert planted(Kind.EXTRINSIC_ENTITY)[1].span not in source
    assert planted(Kind.EXTRINSIC_NUMBER)[1].span not in source
    for kind in (Kind.INTRINSIC_ENTITY, Kind.INTRINSIC_NUMBER, Kind.INTRINSIC_NOUN_PHRASE):
        for seed in range(5):
            error = planted(kind, seed=seed)[1]
            assert error.span.strip() in source
            assert error.span != error.was


def test_no_room_no_copy() -> None:
    assert plant(stage()[1], Kind.EXTRINSIC_NUMBER, elsewhere(stage()), TEST, 0) is None


def test_the_word_lists_share_no_phrase_and_no_four_words_in_a_row() -> None:
    learned, measured = (list(_phrases(lists)) for lists in (TRAIN, TEST))
    assert not set(learned) & set(measured)
    assert not {run for text in learned for run in _fours(text)} & {run for text in measured for run in _fours(text)}


def _phrases(lists: WordLists) -> Iterator[str]:
    """Return the phrases of all fields except the words of a verdict, without punctuation and case."""
    fields = (lists.modifiers, lists.events, *lists.narrow.values(), lists.before, lists.behind, lists.closings)
    for text in (*(text for field in fields for text in field), *(word for pair in lists.opposites for word in pair)):
        yield " ".join(re.findall(r"\w+", text.lower()))


def _fours(text: str) -> list[tuple[str, ...]]:
    words = text.split()
    return list(zip(*(words[at:] for at in range(4)), strict=False))


def test_how_many_of_the_phrases_that_generalise_the_rules_know() -> None:
    phrases = [*TEST.before, *TEST.behind, *(phrase for them in TEST.narrow.values() for phrase in them)]
    nothing = Grounds.of(ExplainedClaim(0, "", "true"))
    known = [one for one in phrases if list(wider_quantifiers(one, 0, nothing))]
    assert (len(known), len(phrases)) == (23, 43)


def test_how_many_of_the_words_for_a_verdict_the_rules_know() -> None:
    known = [word for word in (*TEST.true, *TEST.false) if sides(f"The claim is {word}.")]
    assert (len(known), len(TEST.true) + len(TEST.false)) == (5, 8)


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
    """Return the texts and errors that 30 seeds plant."""
    pairs = [QAPair("What is known?", one) for one in evidence]
    claim = ExplainedClaim(0, "Something was said.", label, pairs, explanation=text, **more)  # type: ignore[arg-type]
    (scene,) = scenes([claim], load(FROM_PYPI, []))
    planted = [plant(scene, kind, others or elsewhere([scene]), lists, seed) for seed in range(30)]
    return [one for one in planted if one is not None]


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
    texts = {text for text, _ in drawn(Kind.INTRINSIC_EVENT, "Germany invaded Poland.")}
    assert texts == {"Poland invaded Germany."}


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
    planted = drawn(Kind.EXTRINSIC_ENTITY, "Britain banned it.", ["The United States did not."], others=others)
    assert {text for text, _ in planted} == {"Norway banned it."}


def test_an_extrinsic_number_is_neither_in_words_nor_in_the_date_of_the_claim() -> None:
    text, evidence = "It took 5 years.", ["It took one, two, three, four, six, seven or eight years."]
    assert {error.span for _, error in drawn(Kind.EXTRINSIC_NUMBER, text, evidence)} <= {"9"}
    dates = [error.span for _, error in drawn(Kind.EXTRINSIC_NUMBER, "It was in 2019.", claim_date="31-10-2020")]
    assert dates
    assert "2020" not in dates


def test_numbers_are_distinguished_by_value_and_times_are_no_numbers() -> None:
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


def test_a_modifier_is_alone_before_its_noun() -> None:
    evidence = ["The rich painter bought an old mill."]
    assert drawn(Kind.INTRINSIC_NOUN_PHRASE, "It was an expensive house.", evidence) == []
    assert all("80 %" in text or "80%" in text for text, _ in drawn(Kind.INTRINSIC_NOUN_PHRASE, "80% came.", evidence))


TWIN = "Eels swim. Frogs sing."


class Known(Checker):
    """Checker that finds `1913` and `Frogs` in any sentence as extrinsic entities, and `never` as another type."""

    def __init__(self) -> None:
        pass

    def check(self, claims: object) -> list[list[Finding]]:
        assert isinstance(claims, list)
        return [list(self._of(one)) for one in claims]

    def _of(self, claim: ExplainedClaim) -> list[Finding]:
        types = {"1913": ErrorType.EXTRINSIC_ENTITY, "Frogs": ErrorType.EXTRINSIC_ENTITY}
        types["never"] = ErrorType.OVERGENERALISATION
        texts = (claim.explanation or "").split(". ")
        return [Finding(0, at, kind, w, "") for at, one in enumerate(texts) for w, kind in types.items() if w in one]


def copy(of: int, text: str, sentence: int, kind: Kind = Kind.EXTRINSIC_NUMBER) -> PlantedClaim:
    return PlantedClaim(of, of, "c", "true", text, TWIN, Error(kind, kind.type, sentence, 0, "x"))


def test_new_findings_on_the_sentence_count() -> None:
    copies = [
        copy(0, "Eels swim in 1913. Frogs sing.", 0),
        copy(1, "Eels swim. Frogs sing in 1913.", 1),
        copy(2, "Eels swim in 1913. Frogs sing.", 1),  # found elsewhere
        copy(3, "Eels never swim. Frogs sing.", 0),  # another type
        copy(4, "Eels swim. Frogs sing loud.", 1),  # the twin has it, too
        copy(5, "Eels never swim. Frogs sing.", 0, Kind.OVERGENERALISATION),
    ]
    of_kind = {one.kind: one for one in recall(copies, Known())}
    number = of_kind[Kind.EXTRINSIC_NUMBER]
    assert number.of_type.n == 5
    assert number.of_type.share == pytest.approx(2 / 5)
    assert number.of_any.share == pytest.approx(3 / 5)
    assert of_kind[Kind.OVERGENERALISATION].of_type.share == 1
    assert set(of_kind) == {Kind.EXTRINSIC_NUMBER, Kind.OVERGENERALISATION}


@pytest.mark.parametrize(
    ("start", "span", "is_there"),
    [
        (13, "1913", True),
        (8, "in ", False),  # the word before: another place
        (0, "Eels", False),
        (9, "m in 19", True),
        (13, "", True),  # words were taken out before what is found
        (0, "", False),
    ],
)
def test_where_it_is(start: int, span: str, is_there: bool) -> None:
    error = Error(Kind.EXTRINSIC_NUMBER, ErrorType.EXTRINSIC_ENTITY, 0, start, span)
    planted = PlantedClaim(0, 0, "c", "true", "Eels swim in 1913. Frogs sing.", TWIN, error)
    (row,) = recall([planted], Known())
    assert row.of_type.share == 1
    assert row.there.share == is_there


def test_the_interval_draws_claims_together() -> None:
    apart = share([True, False] * 20, list(range(40)), 0)
    together = share([True, False] * 20, [at // 2 for at in range(40)], 0)
    assert apart.low < apart.share < apart.high
    assert together.low == together.high == 0.5
