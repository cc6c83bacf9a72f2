"""Debate of two scripted agents that rewrite their texts beside each other's."""

from functools import partial

import pytest

from src.explanation.debate.methods import exchange
from src.explanation.records import Stop
from tests.explanation.debate.stage import DRAFT, played, roles

ONE, TWO = "debater_1", "debater_2"


def test_both_rewrite_twice_and_the_first_has_the_last_word() -> None:
    result, asked = played(exchange, {ONE: ["One.", "Uno."], TWO: ["Own.", "Two.", "Due."]})
    assert roles(asked) == [TWO, ONE, TWO, ONE, TWO]
    assert (result.revision, result.debate.stop, result.debate.rounds, result.debate.calls) == ("Uno.", Stop.CAP, 2, 5)


def test_both_see_the_round_before() -> None:
    _, asked = played(exchange, {ONE: ["One.", "Uno."], TWO: ["Own.", "Two.", "Due."]})
    seen = [(request.prompt.count("Your explanation of the verdict: "), request.prompt) for request in asked]
    assert seen[0][0] == 0
    assert DRAFT not in seen[0][1]
    for at, own, other in ((1, DRAFT, "Own."), (2, "Own.", DRAFT), (3, "One.", "Two."), (4, "Two.", "One.")):
        assert f"Your explanation of the verdict: {own}\nAnother agent's explanation: {other}\n" in seen[at][1]


def test_texts_that_are_the_same_end_it() -> None:
    result, asked = played(exchange, {TWO: [f"{DRAFT} [1]"]})
    assert (len(asked), result.revision, result.debate.stop) == (1, None, Stop.AGREED)
    result, asked = played(exchange, {ONE: ["Eels."], TWO: ["Own.", "Eels."]})
    assert (len(asked), result.revision, result.debate.stop) == (3, "Eels.", Stop.AGREED)


def test_texts_that_stay_the_same_stall() -> None:
    result, asked = played(exchange, {ONE: [DRAFT], TWO: ["Own.", "Own."]})
    assert (len(asked), result.revision, result.debate.stop) == (3, DRAFT, Stop.STALLED)


@pytest.mark.parametrize(("most", "calls", "text"), [(1, 0, None), (2, 0, None), (3, 3, "One."), (4, 3, "One.")])
def test_a_budget_has_room_for_whole_rounds_alone(most: int, calls: int, text: str | None) -> None:
    said = {ONE: ["One.", "Uno."], TWO: ["Own.", "Two.", "Due."]}
    result, asked = played(partial(exchange, most_calls=most), said)
    assert (len(asked), result.debate.calls, result.revision) == (calls, calls, text)
    assert (result.debate.stop, result.debate.rounds) == (Stop.BUDGET, calls // 2)


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({}, None),
        ({TWO: ["", ""]}, None),
        ({ONE: [""], TWO: ["Own.", "Two."]}, None),
        ({ONE: ["One."], TWO: ["Own."]}, "One."),
        ({ONE: ["One."], TWO: ["Own.", "Two.", "Due."]}, "One."),
    ],
)
def test_an_agent_that_fails_leaves_what_the_first_has(said: dict[str, list[str]], text: str | None) -> None:
    result, _ = played(exchange, said)
    assert (result.revision, result.debate.stop) == (text, Stop.AGENT_FAILED)


def test_published_goes_all_rounds_with_texts_that_are_the_same() -> None:
    said = {ONE: [DRAFT, DRAFT], TWO: [DRAFT] * 3}
    result, asked = played(exchange, said, published=True)
    assert (len(asked), result.revision, result.debate.stop) == (5, DRAFT, Stop.CAP)
