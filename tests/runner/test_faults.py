"""A run that is killed, interrupted or out of disk space at any of its calls to the disk, then started again."""

import errno
import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from src.reranking import bm25_sentences
from tests.runner import letters_step
from tests.runner.faults import KILLS, WHEN, fault_at, killed_at
from tests.runner.small_world import World, outcome, write_world

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning")]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path)


def letters(world: World, *flags: str) -> int:
    return letters_step.main(["-c", str(world.claims), "-o", str(world.output), "--batch", "2", "--quiet", *flags])


def rank(world: World) -> int:
    paths = ["-k", str(world.store), "-c", str(world.claims), "-o", str(world.output)]
    return bm25_sentences.main([*paths, "--quiet"])


def clear(world: World) -> None:
    for path in world.output.parent.iterdir():
        path.unlink()


@pytest.mark.parametrize("step", [letters, rank])
@pytest.mark.parametrize("when", KILLS)
def test_killed_at_any_call_and_started_again(world: World, step: Callable[[World], int], when: str) -> None:
    assert step(world) == 0
    expected = outcome(world.output)
    for number in itertools.count():
        clear(world)
        killed = killed_at(number, when, lambda: step(world))
        assert step(world) == 0
        assert outcome(world.output) == expected
        if not killed:
            break
    assert number > 10


def test_killed_again_and_again_at_every_later_call(world: World) -> None:
    assert letters(world) == 0
    expected = outcome(world.output)
    for number in range(6):
        clear(world)
        starts = 0
        while killed_at(number, "after", lambda: letters(world)):
            starts += 1
            if starts == 12:
                assert letters(world) == 0
                break
        assert outcome(world.output) == expected


def test_killed_while_a_failed_claim_is_tried_again(world: World) -> None:
    """The old output, failures file and manifest exist; none of them is taken for the new result."""
    page = world.page_file(1).read_bytes()
    assert rank(world) == 0
    expected = outcome(world.output)
    for number in itertools.count():
        clear(world)
        world.page_file(1).unlink()
        assert rank(world) == 1
        world.page_file(1).write_bytes(page)
        killed = killed_at(number, "after", lambda: rank(world))
        assert rank(world) == 0
        assert outcome(world.output) == expected
        if not killed:
            break


def test_killed_while_other_arguments_replace_an_output(world: World) -> None:
    """The output is always complete: either the old one, which is then refused, or the new one."""
    assert letters(world) == 0
    old = world.output.read_bytes()
    assert letters(world, "--as_list", "--overwrite") == 0
    expected = outcome(world.output)
    for number in itertools.count():
        clear(world)
        assert letters(world) == 0
        killed = killed_at(number, "after", lambda: letters(world, "--as_list", "--overwrite"))
        if letters(world, "--as_list") == 2:
            assert world.output.read_bytes() == old
            assert letters(world, "--as_list", "--overwrite") == 0
        assert outcome(world.output) == expected
        if not killed:
            break


@pytest.mark.parametrize("when", ["before", "after"])
def test_interrupted_at_any_call_and_started_again(world: World, when: str) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    assert letters(world) == 0
    expected = outcome(world.output)
    for number in itertools.count():
        clear(world)
        with fault_at(number, when, interrupt) as made:
            code = letters(world)
        assert code == (130 if len(made) > number else 0)
        assert letters(world) == 0
        assert outcome(world.output) == expected
        if code == 0:
            break


@pytest.mark.parametrize("when", WHEN)
def test_a_disk_that_is_full_at_any_write(world: World, when: str, capsys: pytest.CaptureFixture[str]) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    assert letters(world) == 0
    expected = outcome(world.output)
    for number in itertools.count():
        clear(world)
        capsys.readouterr()
        with fault_at(number, when, full, {"write", "fsync", "replace"}) as made:
            code = letters(world)
        if len(made) <= number:
            break
        assert code == 2
        error = capsys.readouterr().err
        assert error.startswith("error: cannot write ")
        assert "No space left on device" in error
        assert error.count("\n") == 1
        assert letters(world) == 0
        assert outcome(world.output) == expected
