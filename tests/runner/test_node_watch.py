"""Watch on the nodes of a cluster: one line after a while without nodes, the end after a long while."""

import pytest

from src.errors import FatalError
from src.runner.cluster.node_watch import PATIENCE, SLOW, NodeWatch


class Clock:
    """Clock that a test sets."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def watch_after(*nodes: tuple[float, bool]) -> list[str]:
    """Return the lines that a watch prints; it is told at some times whether there is a node."""
    lines: list[str] = []
    clock = Clock()
    watch = NodeWatch(lines.append, clock)
    for seconds, is_any in nodes:
        clock.now += seconds
        watch.note(is_any=is_any)
    return lines


def test_a_short_while_without_nodes_is_no_event() -> None:
    assert watch_after((PATIENCE * 2, True), (SLOW, False), (PATIENCE, True), (SLOW, False)) == []


def test_a_while_without_nodes_is_one_line() -> None:
    line = "waiting for a node of the Ray cluster; the run ends after 10 minutes without one"
    assert watch_after((SLOW + 1, False), (SLOW, False), (SLOW, False)) == [line]
    assert watch_after((SLOW + 1, False), (SLOW, True), (SLOW + 1, False)) == [line, line]


def test_a_long_while_without_nodes_ends_the_run() -> None:
    with pytest.raises(
        FatalError, match="no node of the Ray cluster could work for 10 minutes; what was finished is kept"
    ):
        watch_after((0, True), (PATIENCE, False), (1, False))
