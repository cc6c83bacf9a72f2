"""The way through a drawn study: rounds, seats, controls, and who has to stop."""

import pytest

from src.annotating.annotator import Stage
from src.errors import InputError
from src.explanation.annotation.screening import FAILED, FULL, AuthorCourse, DrawnCourse
from tests.explanation.annotation.studies import Ticks, claims, key_of, nothing, passed, rated, right, seated, wrong

STUDY = claims()
KEY = key_of(STUDY)


def course() -> DrawnCourse:
    return DrawnCourse(STUDY, KEY, [])


def test_rounds_come_one_after_the_other_and_then_a_seat() -> None:
    first = course().opening("ann", [])
    assert (first.stage, {task.shown.text.hash for task in first.tasks}) == (
        Stage.QUALIFICATION, {task.shown.text.hash for task in STUDY.rounds[0]},
    )  # fmt: skip
    assert first.message.startswith("Qualification, round 1 of 2: 2 explanations ")
    one = rated("ann", STUDY.rounds[0], right)
    assert course().opening("ann", one[:1]) == first
    second = course().opening("ann", one)
    assert (second.stage, second.tasks[0] in STUDY.rounds[1]) == (Stage.QUALIFICATION, True)
    last = course().opening("ann", passed(STUDY, "ann"))
    assert (last.stage, last.seat) == (Stage.STUDY, 0)
    assert [task.shown.claim_id for task in last.tasks[::2]] == [
        block[0].shown.claim_id for block in STUDY.of_seat(0)
    ]  # fmt: skip
    assert last.message == "You have qualified. 8 explanations follow."


@pytest.mark.parametrize("ticks", [nothing, wrong])
def test_who_disagrees_with_the_key_in_a_round_has_to_stop(ticks: Ticks) -> None:
    rounds = [*rated("ann", STUDY.rounds[0], right), *rated("ann", STUDY.rounds[1], ticks)]
    assert course().opening("ann", rounds)[:3] == (Stage.CLOSED, [], FAILED)
    assert course().opening("ann", rated("ann", STUDY.rounds[0], ticks)).stage is Stage.CLOSED


def test_seats_go_to_those_who_pass_in_the_order_of_passing() -> None:
    names = ["ann", "bob", "eve", "dan"]
    kept = [*rated("dan", STUDY.rounds[0], right)]
    for name in names[:3]:
        kept += passed(STUDY, name)
    kept += rated("dan", STUDY.rounds[1], right)
    assert [course().opening(name, kept).seat for name in names] == [0, 1, 2, None]
    assert course().opening("dan", kept)[:3] == (Stage.CLOSED, [], FULL)


def test_a_seat_stays_with_its_holder_however_the_others_go_on() -> None:
    kept = [*passed(STUDY, "ann"), *seated(STUDY, "bob", 0)]
    assert [course().opening(name, kept).seat for name in ("ann", "bob")] == [1, 0]


def test_who_failed_the_controls_loses_the_seat_to_the_next() -> None:
    kept = [*seated(STUDY, "ann", 0), *seated(STUDY, "bob", 1, nothing), *seated(STUDY, "eve", 2)]
    kept += passed(STUDY, "dan")
    running = DrawnCourse(STUDY, KEY, [])
    assert (running.opening("bob", kept).seat, running.opening("dan", kept).stage) == (1, Stage.CLOSED)
    restarted = DrawnCourse(STUDY, KEY, kept)
    assert restarted.opening("bob", kept).message == FAILED
    assert restarted.opening("dan", kept).seat == 1
    kept += rated("dan", STUDY.of_seat(1)[0], right, seat=1)
    assert DrawnCourse(STUDY, KEY, kept).opening("dan", kept).seat == 1


def test_nobody_rates_under_the_authors_name() -> None:
    with pytest.raises(InputError, match="field annotator: is the author's name"):
        course().opening("author", [])


def test_the_author_rates_the_key_first_and_then_what_is_scored() -> None:
    found = AuthorCourse(STUDY).opening("author", [])
    assert (found.tasks, found.seat) == ([*STUDY.keyed, *STUDY.real], None)
    assert "the first 6 explanations must be rated" in found.message
