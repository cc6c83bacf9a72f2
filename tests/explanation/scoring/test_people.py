"""Table 3 from a drawn study: majority, exclusion, agreement, and the printed tables."""

import msgspec
import pytest

from src.evaluation.tables import as_markdown, as_text
from src.explanation.annotation.ratings import Rating
from src.explanation.scoring.people import People, counting, majority, people
from src.explanation.scoring.tables import people_sections
from src.explanation.typology import ErrorType
from tests.explanation.annotation.studies import EE, claims, key_of, nothing, passed, rated, right, seated, wrong

STUDY = claims()
KEY = key_of(STUDY)
IE, OG = ErrorType.INTRINSIC_ENTITY, ErrorType.OVERGENERALISATION


def results_of(*ratings: list[Rating]) -> People:
    return people(STUDY, KEY, [one for some in ratings for one in some], seed=0)


def lines(result: People) -> list[str]:
    return [" ".join(line.split()) for line in as_text(people_sections(result))]


def test_an_error_counts_where_more_than_half_ticked_it() -> None:
    def rating(*errors: list[ErrorType]) -> Rating:
        return Rating("ann", 0, "madr", "9f86", list(errors))

    three = [rating([EE, IE], []), rating([EE], [OG]), rating([IE, EE], [])]
    assert majority(three) == [[IE, EE], []]
    assert majority(three[:2]) == [[EE], []]
    assert majority(three[1:2]) == [[EE], [OG]]


def test_the_table_is_over_claims_rated_for_all_methods() -> None:
    result = results_of(seated(STUDY, "ann", 0), seated(STUDY, "bob", 1), seated(STUDY, "eve", 2))
    zero_shot, madr = result.methods
    assert (len(result.claims), result.drawn, result.few) == (4, 4, 0)
    assert (zero_shot.clean.value, zero_shot.errors, zero_shot.each.value) == (0.0, 4, 1.0)
    assert (madr.clean.value, madr.errors, madr.by_type[EE]) == (1.0, 0, 0)
    assert zero_shot.clean.interval == pytest.approx((0.0, 0.4899), abs=1e-3)  # Wilson, 0 of 4
    assert (zero_shot.clean_alone, zero_shot.each_alone) == (0.0, 1.0)
    assert zero_shot.each.to_first is None
    assert madr.each.to_first is not None
    assert "ours: zero_shot 4 0.0 [0.0, 49.0] 4 1.00 [1.00, 1.00] 0.0 1.00" in lines(result)
    assert "paper: MADR 20 30.0 [14.5, 51.9] 17 0.85" in lines(result)


def test_who_disagrees_with_the_key_on_the_controls_is_left_out_by_name() -> None:
    ann, bob, eve = seated(STUDY, "ann", 0), seated(STUDY, "bob", 1, nothing), seated(STUDY, "eve", 2)
    result = results_of(ann, bob, eve)
    assert [(one.annotator, one.control, one.counts) for one in result.annotators] == [
        ("ann", 1.0, True), ("bob", 0.5, False), ("eve", 1.0, True),
    ]  # fmt: skip
    assert {one.annotator for one in counting(STUDY, KEY, [*ann, *bob, *eve])} == {"ann", "eve"}
    assert result.methods == results_of(ann, eve).methods
    assert result.few > 0
    assert "left out: bob (0.50 on the controls)" in lines(result)


def test_who_did_not_qualify_or_rated_no_control_does_not_count() -> None:
    early = [*passed(STUDY, "ann"), *rated("ann", STUDY.claims[0].tasks, right, seat=0)]
    result = results_of(early, rated("bob", STUDY.rounds[0], wrong))
    assert [(one.annotator, one.qualified, one.counts) for one in result.annotators] == [
        ("ann", True, False), ("bob", False, False),
    ]  # fmt: skip
    printed = lines(result)
    assert "left out: ann (rated no control yet), bob (not qualified)" in printed
    assert "ours: rated by nobody yet whose ratings count, for all methods of a claim" in printed
    assert result.methods == []


def test_agreement_with_the_author_leaves_out_the_rounds() -> None:
    result = results_of(seated(STUDY, "ann", 0), seated(STUDY, "bob", 1, wrong))
    first, second, pooled = result.with_author
    assert (first.annotators, first.explanations, first.sentence_kappa) == (["author", "ann"], 2, 1.0)
    assert second.sentence_kappa is not None
    assert second.sentence_kappa < 0
    assert (pooled.explanations, pooled.sentence_kappa) == (2, 1.0)
    assert "the paper: kappa 0.690 with an author" in lines(result)


def test_three_annotators_have_fleiss_kappa_over_what_is_scored() -> None:
    result = results_of(seated(STUDY, "ann", 0), seated(STUDY, "bob", 1), seated(STUDY, "eve", 2))
    assert result.among.everyone is not None
    assert (result.among.everyone.explanations, result.among.everyone.sentence_kappa) == (8, 1.0)


def test_results_read_back_and_make_a_markdown_table() -> None:
    result = results_of(seated(STUDY, "ann", 0))
    assert msgspec.json.decode(msgspec.json.encode(result), type=People) == result
    document = as_markdown(people_sections(result))
    assert document.startswith("**Table 3 of the paper: explanations without errors and errors, by people**\n\n| ")
    assert "\n| paper: MADR | 20 | 30.0 |" in document
    assert "\n| ours: madr | 3 | 100.0 |" in document
