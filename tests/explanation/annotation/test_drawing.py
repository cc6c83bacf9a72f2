"""Which claims are drawn, and who rates them."""

from collections import Counter

import msgspec
import pytest
from msgspec.structs import replace

from src.errors import InputError
from src.explanation.annotation.study import Block, Plan, StudyFile, drawn, study
from tests.explanation.annotation.explained import explained

NAMES = ["zero_shot", "madr"]
PLAN = Plan(sample=20, rounds=2, controls=3, annotators=4, annotators_per_claim=3, pass_at=0.7, exclude_below=0.6)


def blocks(number: int) -> list[Block]:
    claims = [[explained(n, f"{name} says {n}.") for n in range(number)] for name in NAMES]
    return list(study(NAMES, claims, 0).claims)


def ids(found: StudyFile) -> list[int]:
    return [one.tasks[0].shown.claim_id for one in found.claims]


def test_a_seed_draws_the_same_claims_whatever_else_is_drawn() -> None:
    first = drawn(NAMES, blocks(60), PLAN, 7)
    assert first == drawn(NAMES, blocks(60), PLAN, 7)
    others = drawn(NAMES, blocks(60), replace(PLAN, rounds=0, controls=0), 7)
    assert ids(first) == ids(others) == sorted(ids(first))
    assert ids(first) != ids(drawn(NAMES, blocks(60), PLAN, 8))
    assert (len(ids(first)), len(first.rounds), len(first.controls)) == (20, 2, 3)


def test_every_claim_has_all_methods_and_no_claim_is_drawn_twice() -> None:
    found = drawn(NAMES, blocks(25), PLAN, 7)
    tasks = [*found.keyed, *found.real]
    assert Counter(item for task in tasks for item in task.items) == Counter((m, n) for m in NAMES for n in range(25))


def test_each_claim_has_as_many_seats_as_asked_and_seats_have_even_loads() -> None:
    found = drawn(NAMES, blocks(60), PLAN, 7)
    assert {len(set(one.seats)) for one in found.claims} == {3}
    loads = Counter(seat for one in found.claims for seat in one.seats)
    assert loads == {0: 15, 1: 15, 2: 15, 3: 15}
    uneven = drawn(NAMES, blocks(60), replace(PLAN, sample=19, annotators=7), 7)
    loads = Counter(seat for one in uneven.claims for seat in one.seats)
    assert set(loads.values()) == {8, 9}


def test_controls_stand_among_the_claims_of_every_seat_by_number() -> None:
    found = drawn(NAMES, blocks(60), PLAN, 7)
    controls = {tasks[0].shown.claim_id for tasks in found.controls}
    for seat in range(4):
        met = [block[0].shown.claim_id for block in found.of_seat(seat)]
        assert met == sorted(met)
        assert controls < set(met)
        assert len(met) == 15 + 3


def test_a_study_reads_back_as_it_was_drawn() -> None:
    found = drawn(NAMES, blocks(60), PLAN, 7)
    assert msgspec.json.decode(msgspec.json.encode(found), type=StudyFile) == found


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (PLAN, "24 claims, but 25 are drawn: 20 to rate, 2 of qualification rounds and 3 controls"),
        (replace(PLAN, sample=2, annotators=2), "--annotators 2: fewer than the 3 that each claim needs"),
    ],
)
def test_what_cannot_be_drawn_is_said(plan: Plan, message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawn(NAMES, blocks(24), plan, 7)
