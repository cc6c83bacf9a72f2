"""Steps on a Ray cluster of three nodes on this machine: the bytes of a local run, whatever ends in between."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from src.runner.journal import progress_path
from tests.runner.killing import count_lines, finish, start
from tests.runner.ray_nodes import RayNodes, ray_nodes

pytestmark = pytest.mark.long
MODULE = "tests.runner.cluster_step"
SECONDS = 300  # for one run on a busy machine
WORDS = ("eels", "frogs", "newts", "toads", "carp", "pike", "roach", "tench", "bream", "perch", "ruffe", "burbot")


class Runs:
    """Runs of the step on the claims of one file, locally and on a cluster."""

    def __init__(self, root: Path, folder: Path, claims: Sequence[str]) -> None:
        self.root, self.folder = root, folder
        self.claim_file, self.output = folder / "claims.json", folder / "out.json"
        self.marks = folder / "marks"
        self.marks.mkdir()
        self.claim_file.write_text(json.dumps([{"claim": claim} for claim in claims]))

    def flags(self, output: Path, *more: str) -> list[str]:
        return ["-c", str(self.claim_file), "-o", str(output), "--marks", str(self.marks), *more]

    def local(self, *more: str) -> bytes:
        """Return the output of a run on this machine, in which no claim ends its process."""
        output = self.folder / "local.json"
        for number in range(20):
            (self.marks / str(number)).touch()
        assert self._run(output, *more).returncode == 0
        for mark in self.marks.iterdir():
            mark.unlink()
        return output.read_bytes()

    def on(self, cluster: RayNodes, *more: str) -> subprocess.CompletedProcess[str]:
        return self._run(self.output, "--ray", cluster.address, *more)

    def started(self, cluster: RayNodes, *more: str) -> subprocess.Popen[str]:
        return start(MODULE, self.flags(self.output, "--ray", cluster.address, *more), self.root)

    @property
    def done(self) -> int:
        """Return the number of lines of the journal, the first one included."""
        return count_lines(progress_path(self.output))

    def _run(self, output: Path, *more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", MODULE, *self.flags(output, *more)]
        return subprocess.run(command, cwd=self.root, text=True, capture_output=True, timeout=SECONDS, check=False)


@pytest.fixture
def runs(project_root: Path, tmp_path: Path) -> Callable[..., Runs]:
    return lambda *claims: Runs(project_root, tmp_path, claims or WORDS)


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.mark.parametrize("flags", [[], ["--has_model", "--actor_cpus", "1"], ["--num_actors", "2"]], ids=" ".join)
def test_the_output_is_that_of_a_local_run(runs: Callable[..., Runs], ray_cluster: RayNodes, flags: list[str]) -> None:
    here = runs()
    local = here.local("--batch", "5")
    done = here.on(ray_cluster, "--batch", "5", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert "on a Ray cluster of 3 nodes, 3 cores" in done.stdout
    assert here.output.read_bytes() == local


@pytest.mark.parametrize("flags", [[], ["--has_model", "--actor_cpus", "1"]], ids=["tasks", "actors"])
def test_a_claim_that_no_worker_survives_fails_alone(
    runs: Callable[..., Runs], ray_cluster: RayNodes, flags: list[str]
) -> None:
    here = runs("eels", "frogs", "kill", "newts", "fail", "toads", "carp")
    done = here.on(ray_cluster, "--batch", "2", *flags)
    assert done.returncode == 1
    assert "2 of 7 claims failed" in done.stderr
    texts = [json.loads(line)["text"] for line in here.output.read_text().splitlines()]
    assert texts == ["EELS", "FROGS", "", "NEWTS", "", "TOADS", "CARP"]
    failures = [json.loads(line) for line in here.output.with_name("out.failures.jsonl").read_text().splitlines()]
    assert [(one["claim_id"], one["error"]) for one in failures] == [(2, "WorkerLostError"), (4, "ValueError")]
    assert failures[0]["message"].startswith("its worker ended 7 times: ")


@pytest.mark.parametrize("flags", [[], ["--has_model", "--actor_cpus", "1"]], ids=["tasks", "actors"])
def test_workers_that_end_once_change_nothing(
    runs: Callable[..., Runs], ray_cluster: RayNodes, flags: list[str]
) -> None:
    here = runs("eels", "once 1", "frogs", "once 2", "newts", "toads", "once 3")
    local = here.local("--batch", "3")
    done = here.on(ray_cluster, "--batch", "3", *flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert here.output.read_bytes() == local
    assert len(list(here.marks.iterdir())) == 3


@pytest.mark.parametrize("flags", [[], ["--has_model", "--actor_cpus", "1"]], ids=["tasks", "actors"])
def test_an_error_that_ends_the_run_is_one_line(
    runs: Callable[..., Runs], ray_cluster: RayNodes, flags: list[str]
) -> None:
    done = runs("eels", "fatal").on(ray_cluster, *flags)
    assert (done.returncode, done.stderr) == (2, "error: cannot go on\n")


ACTORS = ["--has_model", "--actor_cpus", "1"]


def test_a_node_that_is_lost_changes_nothing(runs: Callable[..., Runs]) -> None:
    here = runs(*WORDS * 2)
    local = here.local("--batch", "2")
    with ray_nodes() as nodes:
        driver = here.started(nodes, "--batch", "2", *ACTORS, "--seconds", "0.2")
        wait_for(lambda: here.done >= 3)
        nodes.kill()
        code, _, err = finish(driver)
    assert (code, err) == (0, "")
    assert here.output.read_bytes() == local


def test_a_driver_that_was_killed_goes_on(runs: Callable[..., Runs], ray_cluster: RayNodes) -> None:
    here = runs(*WORDS * 2)
    local = here.local("--batch", "2")
    for lines in (2, 5):
        driver = here.started(ray_cluster, "--batch", "2", "--seconds", "0.2", *ACTORS)
        wait_for(lambda lines=lines: here.done >= lines)  # type: ignore[misc]
        driver.send_signal(signal.SIGKILL)
        driver.communicate()
    done = here.on(
        ray_cluster, "--batch", "2", "--seconds", "0.2", "--has_model", "--num_actors", "2", "--actor_cpus", "1"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "going on after " in done.stdout
    assert here.output.read_bytes() == local


def test_an_interruption_is_one_line_and_the_next_start_goes_on(
    runs: Callable[..., Runs], ray_cluster: RayNodes
) -> None:
    here = runs(*WORDS * 2)
    local = here.local()
    driver = here.started(ray_cluster, *ACTORS, "--seconds", "0.2")
    wait_for(lambda: here.done >= 3)
    driver.send_signal(signal.SIGINT)
    code, _, err = finish(driver)
    assert (code, err) == (130, "stopped; start it again to go on from here\n")
    assert here.on(ray_cluster, "--seconds", "0.2", *ACTORS).returncode == 0
    assert here.output.read_bytes() == local


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--ray", "ray://127.0.0.1:10001"], "the Ray Client is not made for long runs; give HOST:PORT"),
        (["--ray", "127.0.0.1:1"], "--ray 127.0.0.1:1: no Ray cluster answers"),
        (["--ray", "somewhere"], "--ray somewhere: is none of auto, local, HOST:PORT"),
    ],
)
def test_an_address_without_a_cluster_is_one_line(runs: Callable[..., Runs], flags: list[str], message: str) -> None:
    here = runs()
    driver = start("tests.runner.cluster_step", here.flags(here.output, *flags), here.root)
    code, _, err = finish(driver)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_a_worker_that_fits_no_node_is_one_line(runs: Callable[..., Runs], ray_cluster: RayNodes) -> None:
    done = runs().on(ray_cluster, "--has_model", "--actor_gpus", "1")
    assert done.returncode == 2
    needs = "--actor_cpus 2 --actor_gpus 1"
    assert done.stderr == f"error: no node of the Ray cluster has room for a worker with {needs}\n"
