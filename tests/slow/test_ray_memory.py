"""A worker of a Ray cluster that fills the memory of its node: Ray ends it, and its claim fails alone."""

import json
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.runner.ray_nodes import RayNodes, ray_nodes
from tests.runner.test_ray_cluster import ACTORS, Runs

SPARE = 3 * 2**30  # bytes that may be used beyond what is used now
PIECES = 2 * SPARE // 2**26


@pytest.fixture
def small_memory() -> Iterator[RayNodes]:
    """Yield a cluster that ends workers when the machine uses SPARE bytes more than now."""
    memory = psutil.virtual_memory()
    threshold = (memory.total - memory.available + SPARE) / memory.total
    if threshold > 0.98:
        pytest.skip("too little memory is free")
    with ray_nodes(RAY_memory_usage_threshold=f"{threshold:.3f}", RAY_memory_monitor_refresh_ms="100") as nodes:
        yield nodes


@pytest.mark.parametrize("flags", [[], ACTORS], ids=["tasks", "actors"])
def test_a_claim_that_needs_too_much_memory_fails_alone(
    project_root: Path, tmp_path: Path, small_memory: RayNodes, flags: list[str]
) -> None:
    here = Runs(project_root, tmp_path, ["eels", "frogs", f"memory {PIECES}", "newts", "toads"])
    done = here.on(small_memory, "--batch", "2", *flags)
    assert done.returncode == 1
    assert "1 of 5 claims failed" in done.stderr
    texts = [json.loads(line)["text"] for line in here.output.read_text().splitlines()]
    assert texts == ["EELS", "FROGS", "", "NEWTS", "TOADS"]
    (failure,) = [json.loads(line) for line in here.output.with_name("out.failures.jsonl").read_text().splitlines()]
    assert (failure["claim_id"], failure["error"]) == (2, "WorkerLostError")
    assert failure["message"] == "its worker ended 7 times: its node had no memory left"
