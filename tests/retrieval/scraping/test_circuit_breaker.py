from functools import partial

import pytest

from src.errors import NetworkError
from src.retrieval.scraping.circuit_breaker import FEW, HOSTS, IN_A_ROW, Silence


def hear_silence(silence: Silence, count: int, hosts: int, began: float, settled: list[int]) -> None:
    for number in range(count):
        silence.heard(f"host {number % hosts}", False, began, partial(settled.append, number))


def test_silence_is_held_back_until_someone_answers() -> None:
    silence, settled = Silence(clock=lambda: 1.0), list[int]()
    hear_silence(silence, IN_A_ROW - 1, HOSTS, 0.5, settled)
    assert settled == []
    silence.heard("other", True, 0.5, lambda: settled.append(-1))
    assert settled == [*range(IN_A_ROW - 1), -1]


def test_very_many_in_a_row_are_a_dead_network() -> None:
    settled = list[int]()
    with pytest.raises(NetworkError, match=f"no answer for the last {IN_A_ROW} URLs, on {HOSTS} hosts"):
        hear_silence(Silence(), IN_A_ROW, HOSTS, 0.5, settled)
    assert settled == []


def test_a_few_dead_hosts_are_no_dead_network() -> None:
    silence, settled = Silence(clock=lambda: 0.1), list[int]()
    silence.heard("good", True, 0.0, lambda: None)
    hear_silence(silence, 3 * IN_A_ROW, HOSTS - 1, 0.5, settled)
    assert settled == []
    silence.end()
    assert len(settled) == 3 * IN_A_ROW


def test_a_run_in_which_nothing_answered_is_a_dead_network() -> None:
    silence, settled = Silence(), list[int]()
    hear_silence(silence, FEW, FEW, 0.5, settled)
    for number in range(30):
        silence.heard("host 0", False, 0.5, partial(settled.append, number), tried=False)
    with pytest.raises(NetworkError):
        silence.end()
    assert settled == []


def test_a_few_dead_pages_alone_are_dead_pages() -> None:
    silence, settled = Silence(), list[int]()
    hear_silence(silence, 30, FEW - 1, 0.5, settled)
    silence.end()
    assert len(settled) == 30


def test_what_was_not_tried_is_settled_where_others_answered() -> None:
    silence, settled = Silence(clock=lambda: 0.1), list[int]()
    silence.heard("good", True, 0.0, lambda: None)
    silence.heard("dead", False, 0.5, lambda: settled.append(1), tried=False)
    assert settled == [1]


def test_one_dead_archive_is_a_dead_network() -> None:
    with pytest.raises(NetworkError, match="on 1 hosts"):
        hear_silence(Silence(hosts=1), IN_A_ROW, 1, 0.5, [])


def test_silence_is_what_a_retry_expects() -> None:
    silence, settled = Silence(patience=False), list[int]()
    hear_silence(silence, 3 * IN_A_ROW, 2 * HOSTS, 0.5, settled)
    silence.end()
    assert len(settled) == 3 * IN_A_ROW


def test_what_began_before_the_last_answer_does_not_count() -> None:
    silence, settled = Silence(clock=lambda: 10.0), list[int]()
    silence.heard("good", True, 9.0, lambda: None)
    hear_silence(silence, 3 * IN_A_ROW, HOSTS, 5.0, settled)  # the slow ones at the end of a run
    assert len(settled) == 3 * IN_A_ROW
