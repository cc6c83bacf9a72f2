"""Fifty random kills of workers, nodes and drivers on a Ray cluster: each run ends with the bytes of a local one."""

import os
import random
import signal
import time
from contextlib import suppress
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
    kills, runs = 0, 0
    with ray_nodes() as cluster:
        while kills < KILLS:
            here.output.unlink(missing_ok=True)
            flags = [*(ACTORS if runs % 2 else []), "--batch", "3", "--overwrite"]
            kills += _run_with_kills(here, cluster, draw, flags)
            runs += 1
            assert here.output.read_bytes() == local
    assert runs >= 2


def _run_with_kills(here: Runs, cluster: RayNodes, draw: random.Random, flags: list[str]) -> int:
    """Run the step to its end, started again after each death of the driver; return the number of kills."""
    log = here.folder / "log"
    log.unlink(missing_ok=True)
    kills = 0
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
        kills += 1
        match draw.choice(["worker", "worker", "worker", "node", "driver"]):
            case "worker":
                with suppress(OSError, IndexError):
                    os.kill(int(log.read_text().split()[-1]), signal.SIGKILL)
            case "node":
                cluster.kill()
                cluster.add()
            case "driver":
                driver.kill()
                driver.communicate()
                driver = None
