"""Fifty random kills of workers, nodes and drivers on a Ray cluster: each run ends with the bytes of a local one."""

import os
import random
import signal
import time
from collections import Counter
from pathlib import Path

import pytest

from tests.runner.killing import start
from tests.runner.ray_nodes import RayNodes, ray_nodes
from tests.runner.test_ray_cluster import ACTORS, MODULE, Runs

pytestmark = pytest.mark.slow
KILLS = 50


def test_fifty_random_kills(project_root: Path, tmp_path: Path) -> None:
    draw = random.Random(33)
    here = Runs(project_root, tmp_path, [f"eel {number}" for number in range(150)])
    local = here.local("--batch", "3")
    kills, runs = Counter[str](), 0
    with ray_nodes() as cluster:
        while kills.total() < KILLS:
            here.output.unlink(missing_ok=True)
            flags = [*(ACTORS if runs % 2 else []), "--batch", "3", "--overwrite"]
            kills += _run_with_kills(here, cluster, draw, flags)
            runs += 1
            assert here.output.read_bytes() == local
    assert runs >= 2
    assert kills.keys() == {"worker", "node", "driver"}


def _run_with_kills(here: Runs, cluster: RayNodes, draw: random.Random, flags: list[str]) -> Counter[str]:
    """Run the step to its end, started again after each death of the driver; return how often each kind was killed."""
    log = here.folder / "log"
    log.unlink(missing_ok=True)
    kills = Counter[str]()
    driver = None
    while True:
        if driver is None:
            command = here.flags(here.output, "--ray", cluster.address, "--log", str(log), "--seconds", "0.1", *flags)
            driver = start(MODULE, command, here.root)
            flags = [flag for flag in flags if flag != "--overwrite"]
        time.sleep(draw.uniform(0.5, 4))
        if driver.poll() is not None:
            out, err = driver.communicate()
            assert driver.returncode == 0, out + err
            return kills
        match kind := draw.choice(["worker", "worker", "worker", "node", "driver"]):
            case "worker":
                kills[kind] += _kill_last_worker(log)
            case "node":
                cluster.kill()
                cluster.add()
                kills[kind] += 1
            case "driver":
                driver.kill()
                driver.communicate()
                kills[kind] += driver.returncode == -signal.SIGKILL
                driver = None


def _kill_last_worker(log: Path) -> bool:
    """Kill the process that computed the last claim. Return False if there is none yet, or if it has ended."""
    try:
        os.kill(int(log.read_text().split()[-1]), signal.SIGKILL)
    except (OSError, IndexError):
        return False
    return True
