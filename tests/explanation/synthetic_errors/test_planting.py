"""Each kind of error is planted once, where it says, and the rest of the explanation stays as it was."""

import re
from collections.abc import Iterator, Sequence
from functools import cache

import pytest

from src.explanation.checks.grounds import Grounds
from src.explanation.checks.rules import wider_quantifiers
from src.explanation.checks.verdicts import sides
from src.explanation.records import ExplainedClaim
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Error, Kind
from src.explanation.synthetic_errors.scene import Scene, elsewhere, scenes
from src.explanation.synthetic_errors.word_lists import LISTS, TEST, TRAIN, WordLists
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
    found = plant(stage()[0], kind, elsewhere(stage()), LISTS[words], seed)
    assert found is not None
    return found


@pytest.mark.parametrize("words", list(LISTS))
@pytest.mark.parametrize("kind", IN_A_SENTENCE)
def test_one_error_and_nothing_else(kind: Kind, words: str) -> None:
    for seed in range(5):
        text, error = planted(kind, words, seed)
        twin = list(stage()[0].said)
        assert error.type is kind.type
        assert text[error.start :].startswith(error.span)
        said = sentences(text)
        if len(said) > len(twin):
            assert said.pop(error.sentence) == error.span
            assert said == twin
        else:
            changed = [one != other for one, other in zip(said, twin, strict=True)]
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
    """Of all fields but the words of a verdict; marks and case aside."""
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
