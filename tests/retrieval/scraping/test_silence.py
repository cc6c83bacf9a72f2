from functools import partial

import pytest

from src.errors import NetworkError
from src.retrieval.scraping.silence import HOSTS, IN_A_ROW, Silence


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
    with pytest.raises(NetworkError, match=f"no answer to the last {IN_A_ROW} URLs, from {HOSTS} hosts"):
        hear_silence(Silence(), IN_A_ROW, HOSTS, 0.5, settled)
    assert settled == []


def test_a_few_dead_hosts_are_no_dead_network() -> None:
    silence, settled = Silence(), list[int]()
    hear_silence(silence, 3 * IN_A_ROW, HOSTS - 1, 0.5, settled)
    silence.flush()
    assert len(settled) == 3 * IN_A_ROW


def test_what_began_before_the_last_answer_does_not_count() -> None:
    silence, settled = Silence(clock=lambda: 10.0), list[int]()
    silence.heard("good", True, 9.0, lambda: None)
    hear_silence(silence, 3 * IN_A_ROW, HOSTS, 5.0, settled)  # the slow ones at the end of a run
    assert len(settled) == 3 * IN_A_ROW
