"""The author's key, agreement with it, and which tasks annotators of a drawn study may rate."""

from pathlib import Path

import pytest

from src.annotating.annotator import Stage
from src.errors import InputError
from src.explanation.annotation.screening import (
    FAILED,
    FULL,
    AuthorCourse,
    DrawnCourse,
    Key,
    agreement,
    by_text,
    read_key,
    weak_rounds,
)
from src.store import encode_lines
from tests.explanation.annotation.studies import EE, Ticks, claims, key_of, nothing, passed, rated, right, seated, wrong


@pytest.mark.parametrize(("ticks", "expected"), [(right, 1.0), (nothing, 0.5), (wrong, 0.0)])
def test_who_ticks_nothing_agrees_by_half(ticks: Ticks, expected: float) -> None:
    study = claims()
    own = by_text(rated("ann", study.keyed, ticks))
    assert agreement(study.keyed, own, key_of(study).ratings) == expected


def test_sentences_of_one_kind_alone_are_the_whole_agreement() -> None:
    study = claims()
    clean = by_text(rated("author", study.keyed, nothing))
    own = by_text(rated("ann", study.keyed, right))
    assert agreement(study.keyed, own, clean) == pytest.approx(2 / 3)  # two of a claim's three sentences
    assert agreement(study.keyed, {}, clean) is None


def test_a_round_with_few_errors_in_the_key_is_named() -> None:
    study = claims()
    mixed = Key("author", by_text([*rated("author", study.keyed, right), *rated("author", study.rounds[1], nothing)]))
    assert weak_rounds(study, mixed) == [
        "round 1 has 1 sentence with an error in the key: a single slip decides it",
        "round 2 has 0 sentences with an error in the key: who ticks nothing passes it",
    ]
    all_wrong = by_text(rated("author", study.keyed, lambda task: [[EE] for _ in task.shown.sentences]))
    assert weak_rounds(study, Key("author", all_wrong)) == []


def test_a_key_is_whole_and_of_one_author(tmp_path: Path) -> None:
    study, path = claims(), tmp_path / "key.jsonl"
    whole = rated("author", study.keyed, right)
    path.write_bytes(encode_lines(whole))
    assert read_key(path, study) == key_of(study)
    path.write_bytes(encode_lines(whole[:-1]))
    with pytest.raises(InputError, match=r"1 of 6 explanations of the key are not rated; go on with: annotate --study"):
        read_key(path, study)
    path.write_bytes(encode_lines([*whole, *rated("eve", study.keyed, right)]))
    with pytest.raises(InputError, match=r"key\.jsonl: a key is of one author, this one of author, eve"):
        read_key(path, study)
    path.write_bytes(b"")
    with pytest.raises(InputError, match=r"6 of 6 explanations"):
        read_key(path, study)


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
    ratings = [*rated("dan", STUDY.rounds[0], right)]
    for name in names[:3]:
        ratings += passed(STUDY, name)
    ratings += rated("dan", STUDY.rounds[1], right)
    assert [course().opening(name, ratings).seat for name in names] == [0, 1, 2, None]
    assert course().opening("dan", ratings)[:3] == (Stage.CLOSED, [], FULL)


def test_a_seat_stays_with_its_holder_however_the_others_go_on() -> None:
    ratings = [*passed(STUDY, "ann"), *seated(STUDY, "bob", 0)]
    assert [course().opening(name, ratings).seat for name in ("ann", "bob")] == [1, 0]


def test_who_failed_the_controls_loses_the_seat_to_the_next() -> None:
    ratings = [*seated(STUDY, "ann", 0), *seated(STUDY, "bob", 1, nothing), *seated(STUDY, "eve", 2)]
    ratings += passed(STUDY, "dan")
    running = DrawnCourse(STUDY, KEY, [])
    assert (running.opening("bob", ratings).seat, running.opening("dan", ratings).stage) == (1, Stage.CLOSED)
    restarted = DrawnCourse(STUDY, KEY, ratings)
    assert restarted.opening("bob", ratings).message == FAILED
    assert restarted.opening("dan", ratings).seat == 1
    ratings += rated("dan", STUDY.of_seat(1)[0], right, seat=1)
    assert DrawnCourse(STUDY, KEY, ratings).opening("dan", ratings).seat == 1


def test_nobody_rates_under_the_authors_name() -> None:
    with pytest.raises(InputError, match="field annotator: is the author's name"):
        course().opening("author", [])


def test_the_author_rates_the_key_first_and_then_what_is_scored() -> None:
    opening = AuthorCourse(STUDY).opening("author", [])
    assert (opening.tasks, opening.seat) == ([*STUDY.keyed, *STUDY.real], None)
    assert "the first 6 explanations must be rated" in opening.message
