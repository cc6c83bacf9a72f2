"""Self-Refine with a scripted agent: feedback and new text take turns."""

from functools import partial

import pytest

from src.explanation.debate.methods import self_refine
from src.explanation.records import Stop
from tests.explanation.debate.stage import DRAFT, NOTHING, feedback, played, roles

FEEDBACK, NEW = "self_refine_feedback", "self_refine"


def test_feedback_and_new_text_take_turns_until_nothing_is_found() -> None:
    said = {FEEDBACK: [feedback("They fly"), feedback("Eels dive"), NOTHING], NEW: ["Eels dive.", "Eels rest."]}
    result, asked = played(self_refine, said)
    assert roles(asked) == [FEEDBACK, NEW, FEEDBACK, NEW, FEEDBACK]
    assert (result.revision, result.debate.stop, result.debate.rounds) == ("Eels rest.", Stop.EMPTY, 2)
    assert "explanation of the verdict: Eels dive." in asked[2].prompt
    assert (result.debate.method, result.debate.draft, result.debate.calls) == ("self_refine", DRAFT, 5)


def test_a_quote_must_stand_in_the_newest_text() -> None:
    said = {FEEDBACK: [feedback("They fly")] * 2, NEW: ["Eels dive."]}
    result, _ = played(self_refine, said)
    assert (result.debate.stop, result.debate.dropped_quotes, result.revision) == (Stop.EMPTY, 1, "Eels dive.")


def test_nothing_found_leaves_the_draft_without_a_new_text() -> None:
    result, asked = played(self_refine, {FEEDBACK: [NOTHING]})
    assert (roles(asked), result.revision, result.debate.stop) == ([FEEDBACK], None, Stop.EMPTY)


def test_it_ends_after_the_last_round() -> None:
    said = {FEEDBACK: [feedback("Eels")] * 2, NEW: ["Eels dive.", "Eels rest."]}
    result, asked = played(partial(self_refine, max_rounds=2), said)
    assert (len(asked), result.debate.stop, result.revision) == (4, Stop.CAP, "Eels rest.")


def test_the_same_text_again_stalls() -> None:
    result, asked = played(self_refine, {FEEDBACK: [feedback("They fly")], NEW: [f"{DRAFT} [1]"]})
    assert (len(asked), result.debate.stop) == (2, Stop.STALLED)


@pytest.mark.parametrize(("most", "calls", "text"), [(1, 0, None), (2, 2, "Eels dive."), (3, 2, "Eels dive.")])
def test_a_budget_asks_for_no_feedback_that_cannot_be_acted_on(most: int, calls: int, text: str | None) -> None:
    said = {FEEDBACK: [feedback("Eels")] * 2, NEW: ["Eels dive.", "Eels rest."]}
    result, asked = played(partial(self_refine, most_calls=most), said)
    assert (len(asked), result.debate.calls, result.debate.stop) == (calls, calls, Stop.BUDGET)
    assert result.revision == text


@pytest.mark.parametrize(
    "said",
    [
        {},
        {FEEDBACK: ["?", "?"]},
        {FEEDBACK: [feedback("They fly")]},
        {FEEDBACK: [feedback("Eels")], NEW: [" "] * 2},
    ],
)
def test_an_agent_that_fails_leaves_the_draft(said: dict[str, list[str]]) -> None:
    result, _ = played(self_refine, said)
    assert (result.revision, result.debate.stop) == (None, Stop.AGENT_FAILED)


@pytest.mark.parametrize("later", [{}, {FEEDBACK: ["?", "?"]}, {FEEDBACK: [feedback("Eels")], NEW: [" "] * 2}])
def test_an_agent_that_fails_late_leaves_the_text_so_far(later: dict[str, list[str]]) -> None:
    said = {FEEDBACK: [feedback("They fly"), *later.get(FEEDBACK, [])], NEW: ["Eels dive.", *later.get(NEW, [])]}
    result, _ = played(self_refine, said)
    assert (result.revision, result.debate.stop) == ("Eels dive.", Stop.AGENT_FAILED)


def test_the_types_are_shown_or_not() -> None:
    assert "EE extrinsic entity" in played(self_refine, {FEEDBACK: [NOTHING]})[1][0].prompt
    assert "EE extrinsic entity" not in played(self_refine, {FEEDBACK: [NOTHING]}, typology="none")[1][0].prompt


def test_published_goes_on_with_the_same_text() -> None:
    said = {FEEDBACK: [feedback("They fly")] * 3, NEW: [DRAFT] * 3}
    result, asked = played(self_refine, said, published=True)
    assert (len(asked), result.debate.stop) == (6, Stop.CAP)
