"""Self-correction with a scripted agent: as many calls as MADR may take."""

from functools import partial

import pytest

from src.explanation.debate.methods import self_correct
from src.explanation.records import Stop
from tests.explanation.debate.stage import played

ROLE = "self_correct"


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_it_rewrites_as_often_as_madr_may_call(rounds: int) -> None:
    texts = [f"Text {number}." for number in range(30)]
    result, asked = played(partial(self_correct, max_rounds=rounds), {ROLE: texts})
    assert len(asked) == result.debate.calls == 4 + 3 * rounds
    assert (result.revision, result.debate.stop) == (texts[len(asked) - 1], Stop.CAP)


def test_each_text_is_written_from_the_one_before_alone() -> None:
    _, asked = played(partial(self_correct, max_rounds=0), {ROLE: ["Eels dive.", "Eels rest.", "Eels eat.", "Eels."]})
    assert "explanation of the verdict: Eels dive.\n" in asked[1].prompt
    assert "Eels dive" not in asked[2].prompt


def test_it_goes_on_where_nothing_changes() -> None:
    result, asked = played(partial(self_correct, max_rounds=0), {ROLE: ["Eels dive."] * 9})
    assert (len(asked), result.debate.stop) == (4, Stop.CAP)


def test_a_budget_holds_with_the_last_text() -> None:
    result, asked = played(partial(self_correct, most_calls=3), {ROLE: ["Eels dive.", "", "Eels rest.", "Eels eat."]})
    assert (len(asked), result.revision, result.debate.stop) == (3, "Eels rest.", Stop.BUDGET)


@pytest.mark.parametrize("texts", [[], ["Eels dive."], ["Eels dive.", "Eels rest.", "Eels eat."]])
def test_no_answer_leaves_the_text_so_far(texts: list[str]) -> None:
    result, asked = played(self_correct, {ROLE: texts})
    last = texts[-1] if texts else None
    assert (len(asked), result.revision, result.debate.stop) == (len(texts) + 2, last, Stop.AGENT_FAILED)
