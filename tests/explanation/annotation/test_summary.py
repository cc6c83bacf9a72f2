"""Counts and kappas of a study, and how they are printed."""

import pytest

from src.errors import InputError
from src.explanation.annotation.ratings import Rating
from src.explanation.annotation.summary import own, summary, summary_lines
from src.explanation.typology import ErrorType

EE, OG = ErrorType.EXTRINSIC_ENTITY, ErrorType.OVERGENERALISATION


def rated(
    annotator: str, claim_id: int, *errors: list[ErrorType], method: str = "madr", seconds: float = 2.0
) -> Rating:
    return Rating(annotator, claim_id, method, f"text {claim_id}", list(errors), seconds)


def test_counts_of_each_annotator_and_method() -> None:
    result = summary(
        [
            rated("ann", 0, [EE, OG], [EE]), rated("ann", 1, [], seconds=8.0), rated("bob", 0, [], []),
            rated("ann", 0, [EE, OG], [EE], method="cot"),
        ]
    )  # fmt: skip
    counts = [(one.annotator, one.method, one.ratings, one.clean, one.sentences, one.errors) for one in result.counted]
    assert counts == [
        ("(all)", "cot", 1, 0, 2, 3), ("(all)", "madr", 3, 2, 5, 3),
        ("ann", "cot", 1, 0, 2, 3), ("ann", "madr", 2, 1, 3, 3), ("bob", "madr", 1, 1, 2, 0),
    ]  # fmt: skip
    assert {kind: n for kind, n in result.counted[3].by_type.items() if n} == {EE: 2, OG: 1}
    assert result.counted[3].seconds == 5.0


def test_the_row_of_all_annotators_counts_ratings() -> None:
    lines = summary_lines(summary([rated(name, 0, [EE], []) for name in ("ann", "bob", "eve")]))
    heads = [head.strip() for head in lines[1].split("  ") if head]
    assert heads[:6] == ["annotator", "method", "ratings", "% without any", "rated sentences", "errors"]
    assert lines[2].split()[:6] == ["(all)", "madr", "3", "0.0", "6", "3"]


def test_an_annotators_own_counts_are_of_nobody_else_and_a_text_of_two_methods_counts_once() -> None:
    ann = [rated("ann", 0, [EE]), rated("ann", 0, [EE], method="cot"), rated("ann", 1, [], seconds=8.0)]
    result = own([*ann, rated("bob", 0, [OG, EE])], "ann")
    counts = (
        result.annotator,
        result.method,
        result.ratings,
        result.clean,
        result.sentences,
        result.errors,
        result.seconds,
    )
    assert counts == ("ann", "", 2, 1, 2, 1, 5.0)
    with pytest.raises(InputError, match="field annotator: has rated nothing yet"):
        own(ann, "bob")


def test_kappas_are_of_what_both_rated_and_a_text_counts_once() -> None:
    ann = [rated("ann", 0, [EE], []), rated("ann", 1, [OG]), rated("ann", 2, [EE])]
    bob = [rated("bob", 0, [OG], []), rated("bob", 1, [OG])]
    twice = [rated("ann", 0, [EE], [], method="cot"), rated("bob", 0, [OG], [], method="cot")]
    (pair,) = summary([*ann, *bob]).pairs
    assert (pair.annotators, pair.explanations, pair.sentence_kappa) == (["ann", "bob"], 2, 1.0)
    assert pair.type_kappa is not None
    assert 0 < pair.type_kappa < 1
    assert summary([*ann, *bob, *twice]).pairs == [pair]


def test_more_than_two_have_fleiss_kappa_even_where_some_are_missing() -> None:
    ann, bob = ([rated(name, 0, [EE]), rated(name, 1, [])] for name in ("ann", "bob"))
    result = summary([*ann, *bob, rated("eve", 1, []), rated("eve", 5, [EE])])
    assert result.everyone is not None
    assert (result.everyone.explanations, result.everyone.sentence_kappa, result.everyone.type_kappa) == (2, 1.0, 1.0)
    assert [one.explanations for one in result.pairs] == [2, 1, 1]


def test_undefined_kappas_are_reported_as_undefined() -> None:
    nothing_shared = [rated("ann", 0, [EE]), rated("bob", 1, [EE])]
    nothing_ticked = [rated(name, 0, []) for name in ("ann", "bob", "eve")]
    assert summary_lines(summary(nothing_shared))[-1].split() == ["ann,", "bob", "0", *["undefined"] * 2]
    last = summary_lines(summary(nothing_ticked))[-1]
    assert last.split() == ["ann,", "bob,", "eve", "1", *["undefined"] * 2]
    assert summary_lines(summary(nothing_ticked[:1]))[-1] == "Agreement: undefined, there is one annotator"
    assert summary([]).counted == []
