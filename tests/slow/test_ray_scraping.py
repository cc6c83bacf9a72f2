"""The scraper on a Ray cluster whose workers are killed, and with saved pages."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

from tests.retrieval.scraping.test_cluster_pages import CountingServer, command, scraped, serving, write_urls
from tests.runner.ray_nodes import RayNodes

KILLS = 5


@pytest.fixture
def server() -> Iterator[CountingServer]:
    with serving() as counting:
        yield counting


def test_a_worker_that_is_killed_changes_nothing(
    tmp_path: Path, project_root: Path, server: CountingServer, ray_cluster: RayNodes
) -> None:
    urls = write_urls(tmp_path / "urls", server.server_port, pause=False)
    local = scraped(project_root, tmp_path / "urls", tmp_path / "local")
    server.requests.clear()
    flags, dice, kills = ["--ray", ray_cluster.address, "--actor_cpus", "1"], Random(0), 0
    with subprocess.Popen(
        command(tmp_path / "urls", tmp_path / "store", *flags), cwd=project_root, stderr=subprocess.PIPE, text=True
    ) as driver:
        for number in range(1, KILLS + 1):
            while driver.poll() is None and server.requests.total() < number * urls // (KILLS + 1):
                time.sleep(0.01)
            while driver.poll() is None and not (workers := _workers(project_root)):
                time.sleep(0.01)
            assert driver.poll() is None, "the driver has ended before the kills"
            os.kill(dice.choice(workers), signal.SIGKILL)
            kills += 1
        _, err = driver.communicate(timeout=300)
    assert (driver.returncode, err) == (0, "")
    assert kills == KILLS
    assert {path.name: path.read_bytes() for path in (tmp_path / "store").glob("[0-9].json")} == local


def test_saved_pages_are_read_on_the_cluster(
    tmp_path: Path, project_root: Path, server: CountingServer, ray_cluster: RayNodes
) -> None:
    write_urls(tmp_path / "urls", server.server_port)
    keep = str(tmp_path / "pages")
    local = scraped(project_root, tmp_path / "urls", tmp_path / "local", "--keep_pages", keep)
    requests = server.requests.total()
    flags = ["--ray", ray_cluster.address, "--actor_cpus", "1", "--from_pages", keep]
    assert scraped(project_root, tmp_path / "urls", tmp_path / "again", *flags) == local
    assert server.requests.total() == requests


def _workers(root: Path) -> list[int]:
    """Return the process ids of the actors that scrape for this project: they have entered its folder."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            if (process / "cmdline").read_bytes().startswith(b"ray::Server") and (process / "cwd").resolve() == root:
                found.append(int(process.name))
    return found
