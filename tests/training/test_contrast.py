"""Pairs of rows that differ in one place, and synthetic passages with figures: the labels are right."""

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from spacy.language import Language

from src.spacy_pipelines import FROM_PYPI, load
from src.training.entailment import pack as packs
from src.training.entailment.changed_claims import (
    negated,
    opposite,
    other_of,
    pattern_of,
    swappable,
)
from src.training.entailment.contrast_pairs import CONTRASTED, contrast_pairs, held_out_pairs
from src.training.entailment.examples import CONTRADICTED, ENTAILED, NEUTRAL, EntailmentExample
from src.training.entailment.figures import (
    HELD_OUT,
    LEARNED,
    Case,
    change,
    dates,
    figure_examples,
    held_out_figures,
    part,
    threshold,
    two,
)
from src.training.split import number_of
from tests.training.small_pack import rows_of, write_pack, write_set


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a pack. In two sets, claims and evidence share names; the other sets are those of `write_pack`."""
    folder = write_pack(tmp_path_factory.mktemp("pack"))
    rows = rows_of("fever_dev", 240)
    for number, row in enumerate(rows):
        town = ("Berlin", "Oslo", "Madrid", "Vienna")[number % 4]
        row["claim"] = f"The bridge number {number} was built in {town} in {1900 + number % 90}."
        row["evidence"] = [f"It was built in {town} in {1900 + number % 90}.", "Trams cross it every day."]
    write_set(folder, "fever_dev", rows)
    other = rows_of("fm2", 240)
    for number, row in enumerate(other):
        town = ("Berlin", "Oslo", "Madrid", "Vienna")[number % 4]
        row["claim"] = f"{town} has larger ferries than number {number}."
        row["evidence"] = [f"The ferries of {town} are larger.", "Trams cross it every day."]
    write_set(folder, "fm2", other)
    return folder


@pytest.fixture(scope="module")
def pairs(pack: Path) -> list[EntailmentExample]:
    return contrast_pairs(pack, 1.0, 0)


def text(one: EntailmentExample) -> tuple[str, str]:
    assert not isinstance(one.text, str)
    return one.text[0], one.text[1][0][1]


def test_every_kind_has_its_label(pairs: list[EntailmentExample]) -> None:
    labels = {kind: {one.label for one in pairs if one.kind == kind} for kind in {one.kind for one in pairs}}
    assert labels["swapped"] == {CONTRADICTED}
    assert labels["cut"] == {NEUTRAL}
    assert labels["elsewhere"] == {NEUTRAL}
    assert labels["opposite"] == {CONTRADICTED}
    assert labels["negated"] == {ENTAILED, CONTRADICTED, NEUTRAL}
    assert labels["unchanged"] == {ENTAILED, CONTRADICTED, NEUTRAL}


def test_a_swapped_pair_differs_on_one_side_alone(pairs: list[EntailmentExample]) -> None:
    swaps = 0
    for before, after in pairwise(pairs):
        if after.kind == "swapped":
            assert (before.kind, before.label) == ("unchanged", ENTAILED)
            assert sum(own != other for own, other in zip(text(before), text(after), strict=True)) == 1
            swaps += 1
    assert swaps


def test_what_is_cut_names_no_more_what_was_swapped(pairs: list[EntailmentExample]) -> None:
    cut = [text(one)[1] for one in pairs if one.kind == "cut"]
    assert cut
    assert set(cut) == {"Trams cross it every day."}


def test_held_out_claims_are_scored_and_not_learned(pack: Path, pairs: list[EntailmentExample]) -> None:
    held_out = [text(one)[0] for one in held_out_pairs(pack) if one.kind == "unchanged"]
    learned = [text(one)[0] for one in pairs if one.kind == "unchanged"]
    assert held_out
    assert all(number_of("pack", claim) < packs.HELD_OUT for claim in held_out)
    assert not any(number_of("pack", claim) < packs.HELD_OUT for claim in learned)


def test_only_sets_with_a_license_are_contrasted() -> None:
    assert set(CONTRASTED) <= set(packs.SETS)


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


def swaps_in(nlp: Language, claim: str, evidence: str) -> set[str]:
    return {one.text for one in swappable(nlp(claim), nlp(evidence))}


def test_names_and_exact_numbers_of_both_are_swapped(nlp: Language) -> None:
    assert {"Oslo", "1961"} <= swaps_in(nlp, BORN, f"The singer {BORN}")
    assert not swaps_in(nlp, BORN, "Somebody was born.")


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
    assert not swaps_in(nlp, claim, evidence)


def test_another_of_the_kind(nlp: Language) -> None:
    claim = nlp(BORN)
    city, year = (next(one for one in claim.ents if one.text == text) for text in ("Oslo", "1961"))
    pool = {"GPE": ["Oslo", "Madrid", "London"]}
    assert {other_of(city, claim, pool, Random(seed)) for seed in range(9)} == {"Madrid"}
    others = {other_of(year, claim, pool, Random(seed)) for seed in range(9)}
    assert "1961" not in others
    assert all(other is not None and 1941 <= int(other) <= 1981 for other in others)


def test_numbers_are_found_as_wholes() -> None:
    assert pattern_of("18").sub("20", "Of 180 rooms, 18 are let; 18.5 or 1,018 are not.") == (
        "Of 180 rooms, 20 are let; 18.5 or 1,018 are not."
    )


EXAMPLES = figure_examples(3000, 5)
YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")


def figures(of: str) -> list[float]:
    """Return the numbers in a text that are not years, in order."""
    return [float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*(?:\.\d+)?", YEAR.sub("", of))]


def years(of: str) -> list[int]:
    return [int(one) for one in YEAR.findall(of)]


def cases(kind: object) -> list[Case]:
    assert callable(kind)
    draw = Random(3)
    return [kind(LEARNED, draw) for _ in range(400)]


def test_labels_are_even_and_follow_from_the_seed() -> None:
    labels = Counter(one.label for one in EXAMPLES)
    assert abs(labels[ENTAILED] - labels[CONTRADICTED]) < 60
    assert labels[NEUTRAL] > 400
    assert figure_examples(50, 5) == EXAMPLES[:50]
    assert figure_examples(50, 6) != EXAMPLES[:50]


def test_the_wording_alone_tells_nothing() -> None:
    wordings: dict[str, Counter[int]] = {}
    for one in EXAMPLES:
        match = re.search(r"more than doubled|rose from|fallen since|Most|still in|at least twice|below", text(one)[0])
        if match:
            wordings.setdefault(match[0], Counter())[one.label] += 1
    assert len(wordings) == 7
    for labels in wordings.values():
        assert abs(labels[ENTAILED] - labels[CONTRADICTED]) <= 1
        assert labels[NEUTRAL]


def test_things_of_held_out_examples_are_others() -> None:
    shown = " ".join(" ".join(text(one)) for one in held_out_figures(200)).casefold()
    assert all(thing.name.casefold() in shown for thing in HELD_OUT.things)
    assert not any(thing.name.casefold() in shown for thing in LEARNED.things)


def test_parts_of_a_whole() -> None:
    for case in cases(part):
        numbers = figures(case.passage)
        share = min(numbers) / max(numbers)
        for one in case.claims:
            limit = figures(one.claim)[0] if "percent" in one.wording else 0
            expected = {
                "more than percent": 100 * share > limit,
                "less than percent": 100 * share < limit,
                "most": share > 0.5,
                "fewer than half": share < 0.5,
                "a quarter": abs(share - 0.25) < 0.02,
                "a third": abs(share - 1 / 3) < 0.02,
                "half": abs(share - 0.5) < 0.02,
                "two thirds": abs(share - 2 / 3) < 0.02,
                "three quarters": abs(share - 0.75) < 0.02,
            }
            assert one.is_true is expected[one.wording]


def test_changes_from_year_to_year() -> None:
    for case in cases(change):
        of_year = dict(zip(years(case.passage), figures(case.passage), strict=True))
        before, after = (of_year[year] for year in sorted(of_year))
        for one in case.claims:
            ratio = after / before
            expected = {
                "rose": ratio > 1,
                "fell": ratio < 1,
                "was higher": ratio < 1,
                "is higher": ratio > 1,
                "more than doubled": ratio > 2,
                "doubled between": 1.9 < ratio < 2.1,
                "tripled between": 2.8 < ratio < 3.2,
                "was halved between": 0.48 < ratio < 0.52,
                "rose by about a quarter between": 1.18 < ratio < 1.32,
                "rose by about half between": 1.4 < ratio < 1.6,
                "fell by about a third between": 0.62 < ratio < 0.72,
            }
            assert one.is_true is expected[one.wording]


def test_thresholds_and_places() -> None:
    for case in cases(threshold):
        (value,) = figures(case.passage)
        for one in case.claims:
            (limit,) = figures(one.claim)
            expected = {
                "more than": value > limit,
                "over": value > limit,
                "less than": value < limit,
                "below": value < limit,
                "at least": value >= limit,
                "about": abs(limit / value - 1) < 0.06,
            }
            assert one.is_true is expected[one.wording]
        assert years(case.passage) != years(case.lacking)
    for case in cases(two):
        x, y = figures(case.passage)
        truths = {one.wording: one.is_true for one in case.claims}
        assert truths == {"higher": x > y, "lower": x < y, "greater": y > x, "twice": x >= 2 * y}


def test_dates() -> None:
    for case in cases(dates):
        first, last = years(case.passage)
        for one in case.claims:
            number = int(re.findall(r"\d+", one.claim)[-1])
            expected = {
                "opened before": first < number,
                "opened after": first > number,
                "closed before": last < number,
                "still": first <= number < last,
                "decade": first // 10 * 10 == number,
                "years": last - first > number,
            }
            assert one.is_true is expected[one.wording]
        assert not years(case.lacking)
