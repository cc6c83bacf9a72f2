"""Made passages with figures: what is said of them is true or false as labeled."""

import re
from collections import Counter
from random import Random

import pytest

from src.training.entailment.examples import CONTRADICTED, ENTAILED, NEUTRAL, EntailmentExample
from src.training.entailment.figures import (
    HELD_OUT,
    KINDS,
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

EXAMPLES = figure_examples(3000, 5)
YEAR = re.compile(r"\b(?:18|19|20)\d\d\b")


def text(one: EntailmentExample) -> tuple[str, str]:
    assert not isinstance(one.text, str)
    return one.text[0], one.text[1][0][1]


def figures(of: str) -> list[float]:
    """Numbers that are no years, in order."""
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
        found = re.search(r"more than doubled|rose from|fallen since|Most|still in|at least twice|below", text(one)[0])
        if found:
            wordings.setdefault(found[0], Counter())[one.label] += 1
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_wording_is_true_and_false(kind: object) -> None:
    truths: dict[str, set[bool]] = {}
    for case in cases(kind):
        for one in case.claims:
            truths.setdefault(one.wording, set()).add(one.is_true)
    assert set(map(len, truths.values())) == {2}
