"""Steps as separate programs: killed, interrupted, out of disk space, two at once; then started again.

Limitations: four kills; `tests/slow` has hundreds.
"""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from src.runner.journal import Entry, Journal
from src.runner.manifest import read_manifest
from tests.runner import letters_step
from tests.runner.killing import count_lines, finish, kill_after, start
from tests.runner.small_world import World, lines_of, outcome, write_world

pytestmark = pytest.mark.long


@pytest.fixture
def world(tmp_path: Path) -> World:
    return write_world(tmp_path, [f"claim number {number}" for number in range(30)])


def flags(world: World) -> list[str]:
    return ["-c", str(world.claims), "-o", str(world.output)]


def progress(world: World) -> Path:
    return world.output.with_name("result.json.progress")


@pytest.mark.parametrize("workers", [(), ("--workers", "2")])
def test_killed_four_times_and_finished(world: World, project_root: Path, workers: tuple[str, ...]) -> None:
    assert letters_step.main([*flags(world), "--quiet"]) == 0
    expected = outcome(world.output)
    for path in world.output.parent.iterdir():
        path.unlink()
    for lines in (1, 2, 9, 25):
        process = start(letters_step.MODULE, [*flags(world), *workers], project_root, LETTERS_SECONDS="0.05")
        assert kill_after(process, progress(world), lines)
        assert count_lines(progress(world)) < 31
    code, out, err = finish(start(letters_step.MODULE, [*flags(world), *workers], project_root))
    assert (code, err) == (0, "")
    assert "letters_step: going on after " in out
    assert outcome(world.output) == expected


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_interruption_is_one_line(world: World, project_root: Path, workers: str) -> None:
    process = start(letters_step.MODULE, [*flags(world), "--workers", workers], project_root, LETTERS_SECONDS="0.05")
    while count_lines(progress(world)) < 3:
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert finish(process) == (130, "", "stopped; start it again to go on from here\n")
    assert count_lines(progress(world)) >= 3


def test_a_limit_on_the_file_is_a_full_disk(world: World, project_root: Path) -> None:
    limited = f'ulimit -f 2; exec {sys.executable} -m {letters_step.MODULE} "$@"'
    command = ["bash", "-c", limited, "bash", *flags(world)]
    done = subprocess.run(command, cwd=project_root, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == (
        f"error: cannot write {progress(world)}: File too large; what was finished is kept, start again to go on\n"
    )
    finished = count_lines(progress(world)) - 1
    assert 0 < finished < 30
    assert letters_step.main(flags(world)) == 0
    assert len(lines_of(world.output)) == 30


def test_a_second_program_is_refused_with_one_line(world: World, project_root: Path) -> None:
    assert letters_step.main([*flags(world), "--quiet"]) == 0
    manifest = read_manifest(world.output)
    assert manifest is not None
    with Journal(world.output, manifest.fingerprint, Entry, lambda entry: entry.claim_id):
        process = start(letters_step.MODULE, flags(world), project_root)
        assert finish(process) == (2, "", f"error: another run is writing result.json in {world.output.parent}\n")


def test_nobody_reads_what_it_prints(world: World, project_root: Path) -> None:
    command = f'{sys.executable} -m {letters_step.MODULE} "$@" | true; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(
        ["bash", "-c", command, "bash", *flags(world)], cwd=project_root, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() in ("0", "141")
    assert done.stderr == ""
    assert len(lines_of(world.output)) == 30
