"""Explanations as annotators see them, their order, and the draw of a study."""

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from src.errors import InputError
from src.explanation import annotation
from src.explanation.annotation.ratings import shown
from src.explanation.annotation.study import Block, Plan, StudyFile, drawn, study, texts
from tests.explanation.annotation.explained import EVIDENCE, MARKUP, explained

TEXT = "Eels swim. Nils saw them."
NAMES = ["zero_shot", "cot", "madr"]


def test_what_is_shown_has_sentences_with_cites_and_numbered_evidence() -> None:
    chosen = shown(explained(3, TEXT, [[2, 9], []]))
    assert [(one.text, one.cites) for one in chosen.sentences] == [("Eels swim.", [2]), ("Nils saw them.", [])]
    assert [(one.number, one.question, one.text) for one in chosen.evidence] == [
        (1, EVIDENCE[0].question, EVIDENCE[0].answer), (2, EVIDENCE[1].question, MARKUP),
    ]  # fmt: skip
    assert [one.cites for one in shown(explained(3, TEXT)).sentences] == [[], []]


def test_any_change_of_what_is_shown_is_another_text() -> None:
    claim = explained(3, TEXT, [[1], []])
    first = shown(claim).text
    assert (first, first.sentences) == (shown(explained(3, TEXT, [[1], []])).text, 2)
    others = [explained(4, TEXT, [[1], []]), explained(3, TEXT), explained(3, TEXT.replace("saw", "met"), [[1], []])]
    fewer = explained(3, TEXT, [[1], []])
    fewer.evidence = EVIDENCE[:1]
    assert first not in {shown(one).text for one in (*others, fewer)}


def test_claims_come_in_order_and_methods_in_one_that_is_drawn() -> None:
    claims = [[explained(n, f"{name} says {n}.") for n in range(20)] for name in NAMES]
    chosen = study(NAMES, claims, seed=1)
    orders = {name: [task.methods[0] for task in chosen.order(name)] for name in ("ann", "bob")}
    assert [task.shown.claim_id for task in chosen.order("ann")] == [n for n in range(20) for _ in NAMES]
    assert all(set(orders["ann"][at : at + 3]) == set(NAMES) for at in range(0, 60, 3))
    assert {orders["ann"][at] for at in range(0, 60, 3)} == set(NAMES)
    assert orders["ann"] != orders["bob"]
    assert chosen.order("ann") == study(NAMES, claims, seed=1).order("ann") != study(NAMES, claims, seed=2).order("ann")


def test_a_text_of_several_methods_is_rated_once() -> None:
    claims = [[explained(0, TEXT)], [explained(0, "Eels fly.")], [explained(0, TEXT)]]
    tasks = study(NAMES, claims, 0).order("ann")
    assert sorted(task.methods for task in tasks) == [("cot",), ("zero_shot", "madr")]
    known = texts(NAMES, claims)
    assert known["zero_shot", 0] == known["madr", 0] != known["cot", 0]


TWO = ["zero_shot", "madr"]
PLAN = Plan(sample=20, rounds=2, controls=3, annotators=4, annotators_per_claim=3, pass_at=0.7, exclude_below=0.6)


def blocks(number: int) -> list[Block]:
    claims = [[explained(n, f"{name} says {n}.") for n in range(number)] for name in TWO]
    return list(study(TWO, claims, 0).claims)


def ids(chosen: StudyFile) -> list[int]:
    return [one.tasks[0].shown.claim_id for one in chosen.claims]


def test_a_seed_draws_the_same_claims_whatever_else_is_drawn() -> None:
    first = drawn(TWO, blocks(60), PLAN, 7)
    assert first == drawn(TWO, blocks(60), PLAN, 7)
    others = drawn(TWO, blocks(60), replace(PLAN, rounds=0, controls=0), 7)
    assert ids(first) == ids(others) == sorted(ids(first))
    assert ids(first) != ids(drawn(TWO, blocks(60), PLAN, 8))
    assert (len(ids(first)), len(first.rounds), len(first.controls)) == (20, 2, 3)


def test_every_claim_has_all_methods_and_no_claim_is_drawn_twice() -> None:
    chosen = drawn(TWO, blocks(25), PLAN, 7)
    tasks = [*chosen.keyed, *chosen.real]
    assert Counter(item for task in tasks for item in task.items) == Counter((m, n) for m in TWO for n in range(25))


def test_each_claim_has_the_requested_seats_and_seats_have_even_loads() -> None:
    chosen = drawn(TWO, blocks(60), PLAN, 7)
    assert {len(set(one.seats)) for one in chosen.claims} == {3}
    loads = Counter(seat for one in chosen.claims for seat in one.seats)
    assert loads == {0: 15, 1: 15, 2: 15, 3: 15}
    uneven = drawn(TWO, blocks(60), replace(PLAN, sample=19, annotators=7), 7)
    loads = Counter(seat for one in uneven.claims for seat in one.seats)
    assert set(loads.values()) == {8, 9}


def test_controls_are_among_the_claims_of_every_seat_in_order_of_claim_id() -> None:
    chosen = drawn(TWO, blocks(60), PLAN, 7)
    controls = {tasks[0].shown.claim_id for tasks in chosen.controls}
    for seat in range(4):
        met = [block[0].shown.claim_id for block in chosen.of_seat(seat)]
        assert met == sorted(met)
        assert controls < set(met)
        assert len(met) == 15 + 3


def test_a_study_reads_back_as_it_was_drawn() -> None:
    chosen = drawn(TWO, blocks(60), PLAN, 7)
    assert msgspec.json.decode(msgspec.json.encode(chosen), type=StudyFile) == chosen


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (PLAN, "24 claims, but 25 are drawn: 20 to rate, 2 of qualification rounds and 3 controls"),
        (replace(PLAN, sample=2, annotators=2), "--annotators 2: fewer than the 3 that each claim needs"),
    ],
)
def test_an_impossible_plan_is_refused(plan: Plan, message: str) -> None:
    with pytest.raises(InputError, match=message):
        drawn(TWO, blocks(24), plan, 7)


def test_what_people_tick_knows_no_score() -> None:
    files = list(Path(annotation.__file__).parent.glob("*.py"))
    assert len(files) > 5
    assert [path.name for path in files if "src.explanation.scoring" in path.read_text("utf-8")] == []
