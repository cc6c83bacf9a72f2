"""Sentences with one place changed."""

from random import Random

import pytest
from spacy.language import Language

from src.spacy_pipelines import FROM_PYPI, load
from src.training.entailment.changed_claims import (
    OPPOSITE,
    is_subject,
    negated,
    opposite,
    other_of,
    pattern_of,
    swappable,
)

BORN = "Maria Keller was born in Oslo in 1961."


@pytest.fixture(scope="module")
def nlp() -> Language:
    return load(FROM_PYPI, [])


@pytest.mark.parametrize(
    ("claim", "denied"),
    [
        ("The bridge is open.", "The bridge is not open."),
        ("The bridge is not open.", "The bridge is open."),
        ("The town closed three schools.", "The town did not close three schools."),
        ("The mayor has resigned.", "The mayor has not resigned."),
        ("Nobody crossed the bridge.", None),
        ("The town did not close its schools.", None),
        ("A bridge of stone.", None),
        ("Is the bridge open?", None),
        ("The bridge may collapse.", None),
        ("Some bridges were closed.", None),
        ("The mayor said that the bridge was closed.", None),
        ("The mayor, who was ill, opened the bridge.", None),
        ("The mayor opened the bridge and closed the road.", None),
    ],
)
def test_the_main_verb_is_denied_or_affirmed(nlp: Language, claim: str, denied: str | None) -> None:
    assert negated(nlp(claim)) == denied


@pytest.mark.parametrize(
    ("claim", "turned"),
    [
        ("Rents rose in the town.", "Rents fell in the town."),
        ("The town has a mayor.", None),
        ("Rents did not increase after the war.", None),
        ("At most three people came before noon.", None),
    ],
)
def test_one_word_becomes_its_opposite(nlp: Language, claim: str, turned: str | None) -> None:
    assert opposite(nlp(claim), Random(0)) == turned


def test_no_word_is_its_own_opposite() -> None:
    assert all(word != other for word, other in OPPOSITE.items())


def found(nlp: Language, claim: str, evidence: str) -> set[str]:
    return {one.text for one in swappable(nlp(claim), nlp(evidence))}


def test_names_and_exact_numbers_of_both_are_swapped(nlp: Language) -> None:
    assert {"Oslo", "1961"} <= found(nlp, BORN, f"The singer {BORN}")
    assert not found(nlp, BORN, "Somebody was born.")


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("More than 3,000 people came.", "More than 3,000 people came."),
        ("It has been open since 1990.", "It has been open since 1990."),
        ("The film stars John Hurt.", "It stars Colin Firth, John Hurt and Gary Oldman."),
        ("The shop has 18 rooms.", "The shop has 180 rooms."),
    ],
)
def test_what_may_still_be_true_stays(nlp: Language, claim: str, evidence: str) -> None:
    assert not found(nlp, claim, evidence)


def test_another_of_the_kind(nlp: Language) -> None:
    claim = nlp(BORN)
    city, year = (next(one for one in claim.ents if one.text == text) for text in ("Oslo", "1961"))
    pool = {"GPE": ["Oslo", "Madrid", "London"]}
    assert {other_of(city, claim, pool, Random(seed)) for seed in range(9)} == {"Madrid"}
    others = {other_of(year, claim, pool, Random(seed)) for seed in range(9)}
    assert "1961" not in others
    assert all(other is not None and 1941 <= int(other) <= 1981 for other in others)


def test_a_number_of_another_sentence_is_taken_too(nlp: Language) -> None:
    evidence = nlp(f"{BORN} She left the town for good in 1983.")
    year = next(one for one in nlp(BORN).ents if one.text == "1961")
    assert "1983" in {other_of(year, evidence, {}, Random(seed)) for seed in range(9)}


def test_numbers_are_found_as_wholes() -> None:
    assert pattern_of("18").sub("20", "Of 180 rooms, 18 are let; 18.5 or 1,018 are not.") == (
        "Of 180 rooms, 20 are let; 18.5 or 1,018 are not."
    )


def test_what_a_claim_is_about(nlp: Language) -> None:
    claim = nlp(BORN)
    assert {one.text for one in claim.ents if is_subject(one)} == {"Maria Keller"}
