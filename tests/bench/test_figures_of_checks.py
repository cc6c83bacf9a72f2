"""The figures on the pages about checks are computed from their results files."""

from typing import Any

from bench.page_figures import right_of_level, row_named, same_claims, stacker_levels


def _answers(*rows: tuple[int, str, str]) -> dict[str, Any]:
    """Return a result with these claims, all of them Refuted: number, verdict, level."""
    return {
        "answered": {
            "questions": [
                {"claim_id": claim_id, "label": "Refuted", "verdict": verdict, "level": level}
                for claim_id, verdict, level in rows
            ]
        }
    }


def test_two_results_are_compared_on_the_claims_that_both_have_answered() -> None:
    one = _answers((0, "Refuted", "firm"), (1, "Supported", "firm"), (2, "Refuted", "leaning"))
    other = _answers((3, "Refuted", "firm"), (2, "Supported", "undecided"), (1, "Refuted", "firm"))
    assert same_claims(one, other) == {
        "claims": 2,
        "one": 1,
        "other": 1,
        "only_one": 1,
        "only_other": 1,
        "firm_one": {"right": 0, "of": 1},
        "firm_other": {"right": 1, "of": 1},
    }


def test_claims_of_a_level_are_counted_over_its_verdicts() -> None:
    counts = {"firm": {"Supported": {"right": 1, "of": 2}, "Refuted": {"right": 3, "of": 3}}}
    assert right_of_level({"of_verdict": counts}, "firm") == {"right": 4, "of": 5}
    assert right_of_level({"of_verdict": counts}, "leaning") == {"right": 0, "of": 0}


def test_a_row_is_found_by_how_its_name_begins() -> None:
    result = {"rows": [{"system": "claim alone"}, {"system": "check, questions"}]}
    assert row_named(result, "check") == {"system": "check, questions"}
    assert row_named(result, "verdict by gold") is None


def test_the_limits_of_the_shipped_stackers_are_read() -> None:
    for name in ("stacked", "careful"):
        assert set(stacker_levels(name)["share"]) == {"firm", "leaning", "undecided"}
