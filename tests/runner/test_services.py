"""Services on a Ray cluster of three nodes on this machine."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.runner.ray_nodes import RayNodes
from tests.runner.services_driver import MODULE

pytestmark = pytest.mark.long
Run = Callable[..., list[Any]]


@pytest.fixture
def run(project_root: Path, tmp_path: Path, ray_cluster: RayNodes) -> Run:
    def answers(*asked: str) -> list[Any]:
        command = [sys.executable, "-m", MODULE, ray_cluster.address, str(tmp_path), *asked]
        done = subprocess.run(command, cwd=project_root, text=True, capture_output=True, timeout=300, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        return list(json.loads((tmp_path / "answers.json").read_bytes()))

    return answers


def test_each_key_has_one_worker_and_keys_are_spread(run: Run, tmp_path: Path) -> None:
    asked = [f"{key}={number}" for number in range(3) for key in "abcdef"]
    workers: dict[str, set[int]] = {}
    for question, (worker, answer) in zip(asked, run(*asked), strict=True):
        key, _, text = question.partition("=")
        assert answer == text
        workers.setdefault(key, set()).add(worker)
    assert all(len(of_key) == 1 for of_key in workers.values())
    assert len(set.union(*workers.values())) == 3
    assert len(list(tmp_path.glob("closed *"))) == 3


def test_only_a_question_that_no_worker_survives_fails(run: Run) -> None:
    replies = run("a=1", "a=once", "b=2", "a=kill", "c=fail", "c=3", "d=fatal")
    assert replies[3].startswith("WorkerLostError: its worker ended 4 times: ")
    assert replies[4].startswith("RayTaskError(ValueError)")
    assert replies[6] == "FatalError: cannot go on"
    assert [replies[number][1] for number in (0, 1, 2, 5)] == ["1", "once", "2", "3"]


def test_a_service_that_opens_nowhere_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "unusable").touch()
    (answer,) = run("a=1")
    assert answer.startswith("InputError: node ")
    assert answer.endswith("of the Ray cluster: a package is missing")
