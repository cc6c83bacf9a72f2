"""Faults of a Ray cluster of three nodes on this machine: a slow node, a blind one, a lost one, a lost head."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.runner.killing import finish
from tests.runner.ray_nodes import RayNodes, ray_nodes
from tests.runner.test_ray_cluster import ACTORS, WORDS, Runs, wait_for


@pytest.fixture
def runs(project_root: Path, tmp_path: Path) -> Callable[..., Runs]:
    return lambda *claims: Runs(project_root, tmp_path, claims or WORDS)


@pytest.fixture
def own_cluster() -> Iterator[RayNodes]:
    """Yield a cluster that a test may damage."""
    with ray_nodes() as nodes:
        yield nodes


def test_a_node_that_is_lost_with_its_tasks_changes_nothing(runs: Callable[..., Runs], own_cluster: RayNodes) -> None:
    here = runs(*WORDS * 2)
    local = here.local("--batch", "2")
    driver = here.started(own_cluster, "--batch", "2", "--seconds", "0.2")
    wait_for(lambda: here.done >= 3)
    own_cluster.kill()
    code, _, err = finish(driver)
    assert (code, err) == (0, "")
    assert here.output.read_bytes() == local


def test_a_slow_node_changes_nothing(runs: Callable[..., Runs], own_cluster: RayNodes) -> None:
    own_cluster.add(SLOW_NODE="1")
    here = runs(*WORDS * 2)
    local, log = here.local("--batch", "2"), here.folder / "log"
    done = here.on(own_cluster, "--batch", "2", *ACTORS, "--seconds", "0.5", "--log", str(log))
    assert (done.returncode, done.stderr) == (0, "")
    assert here.output.read_bytes() == local
    assert {line.split()[1] for line in log.read_text().splitlines()} == {"0", "1"}  # the slow node worked, too


def test_a_node_where_workers_end_while_they_start_is_left_out(runs: Callable[..., Runs]) -> None:
    here = runs(*WORDS * 2)
    local = here.local("--batch", "2")
    with ray_nodes(1) as cluster:
        cluster.add(DIES_AT_START="1")
        done = here.on(cluster, "--batch", "2", *ACTORS, "--seconds", "1.5")
    assert (done.returncode, done.stderr) == (0, "")
    assert here.output.read_bytes() == local
    assert "is left out: workers end while they start: " in done.stdout


def test_a_lost_head_ends_the_run_and_a_new_cluster_goes_on(runs: Callable[..., Runs]) -> None:
    here = runs(*WORDS * 2)
    local = here.local()
    with ray_nodes() as first:
        driver = here.started(first, "--seconds", "0.2", *ACTORS)
        wait_for(lambda: here.done >= 3)
    code, _, err = finish(driver)
    assert code != 0, err
    assert here.done >= 3
    with ray_nodes() as second:
        done = here.on(second, "--seconds", "0.2", *ACTORS)
    assert (done.returncode, done.stderr) == (0, "")
    assert here.output.read_bytes() == local


@contextmanager
def node_without(folder: Path, cluster: RayNodes) -> Iterator[None]:
    """Add a node on which a folder is empty."""
    mount = 'mount -t tmpfs none "$1" && shift && exec "$@"'
    hidden = ["unshare", "--mount", "bash", "-c", mount, "-", str(folder)]
    ray = shutil.which("ray", path=str(Path(sys.executable).parent))
    assert ray
    if subprocess.run([*hidden, "true"], check=False, capture_output=True).returncode:
        pytest.skip("no mount namespaces here")
    node = subprocess.Popen(
        [*hidden, ray, "start", f"--address={cluster.address}", "--num-cpus=1", "--block"],
        text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert node.stdout
        assert any("Ray runtime started" in line for line in node.stdout)
        yield
    finally:
        node.terminate()
        node.communicate()


@pytest.mark.parametrize("flags", [[], ACTORS], ids=["tasks", "actors"])
def test_a_node_without_the_inputs_is_left_out(
    runs: Callable[..., Runs], own_cluster: RayNodes, flags: list[str]
) -> None:
    here = runs()
    local = here.local()
    with node_without(here.folder, own_cluster):
        done = here.on(own_cluster, *flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert "is left out: the driver's files are not there" in done.stdout
    assert "on a Ray cluster of 3 nodes" in done.stdout
    assert here.output.read_bytes() == local


@pytest.mark.parametrize("flags", [[], ACTORS], ids=["tasks", "actors"])
def test_a_node_without_the_project_is_left_out(
    runs: Callable[..., Runs], own_cluster: RayNodes, flags: list[str]
) -> None:
    here = runs()
    local = here.local()
    with node_without(here.root / "src", own_cluster):
        done = here.on(own_cluster, *flags)
    assert (done.returncode, done.stderr) == (0, "")
    assert "is left out: the project does not run there: ModuleNotFoundError" in done.stdout
    assert here.output.read_bytes() == local


@pytest.mark.parametrize("flags", [[], ACTORS], ids=["tasks", "actors"])
def test_a_node_without_the_project_that_joins_is_left_out(
    runs: Callable[..., Runs], own_cluster: RayNodes, flags: list[str]
) -> None:
    here = runs(*WORDS * 6)
    local = here.local()
    driver = here.started(own_cluster, *flags, "--seconds", "1")
    wait_for(lambda: here.done >= 3)
    with node_without(here.root / "src", own_cluster):
        code, out, err = finish(driver)
    assert (code, err) == (0, "")
    assert "is left out: the project does not run there: ModuleNotFoundError" in out
    assert here.output.read_bytes() == local
