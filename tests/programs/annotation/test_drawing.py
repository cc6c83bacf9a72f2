"""Which wrong predictions are drawn, and what is shown of them."""

from collections import Counter

from src.programs.annotation.classes import drawn, hashes, shown
from src.programs.records import ClaimTrace
from src.records import Value
from tests.programs.annotation.wrong import MARKUP, trace, world
from tests.programs.answers import F, T
from tests.programs.scoring.traces import gold, traced, verified


def test_wrong_predictions_are_drawn_by_hops_and_by_seed() -> None:
    golds, traces = world(40)
    found = drawn(golds, traces, 6, 1, {})
    assert Counter(one.hops for one in found) == {2: 6, 3: 6}
    assert all(one.right != one.predicted for one in found)
    assert [one.claim_id for one in found] == sorted(one.claim_id for one in found)
    assert found == drawn(golds, traces, 6, 1, {})
    assert found != drawn(golds, traces, 6, 2, {})
    assert len(drawn(golds, traces, 100, 1, {})) == 20


def test_claims_without_hops_are_one_group() -> None:
    golds, traces = world(40, hops=[None])
    assert len(drawn(golds, traces, 6, 1, {})) == 6


def test_the_program_that_is_shown_is_the_first_that_voted_for_the_label() -> None:
    one = traced(0, T, verified("No.", F))
    one.programs[0].value = F
    one.programs += traced(0, T, verified("Yes.", T)).programs * 2
    (found,) = drawn([gold(0, F)], [one], 9, 0, {(0, 1): "as written", (0, 0): "another"})
    assert (found.program, found.steps[0].call, found.written) == (1, "fact_1 = Verify(Yes.)", "as written")
    assert drawn([gold(0, F)], [ClaimTrace(0, "Claim 0.", Value.TRUE, 0.0, 0, [])], 9, 0, {}) == []


def test_a_step_is_shown_with_its_value_and_evidence() -> None:
    found = shown(gold(0, F, hops=2, passages=["Lund is old."]), trace(0), 0)
    assert [(one.call, one.value, one.evidence) for one in found.steps] == [
        ("answer_1 = Question(Which town?)", MARKUP, ["Lund: A sentence."]),
        ("fact_1 = Verify(Town 0 is old.)", "false", []),
    ]
    assert (found.label, found.value, found.gold) == ("Predict(fact_1)", "true", ["Lund is old."])
    assert shown(gold(0, F, titles=["Ystad"]), trace(0), 0).gold == ["Ystad"]


def test_the_text_as_written_is_no_part_of_the_hash_and_all_else_is() -> None:
    golds, traces = world(2)
    first = hashes(golds, traces)[0, 0]
    assert shown(golds[0], traces[0], 0, "as written").hash == first
    traces[0].programs[0].steps[0].value = "Malmo"
    assert hashes(golds, traces)[0, 0] != first
