"""A step on a Ray cluster of this machine beside the same step without one: overhead for each claim, and scaling.

Each run is a command of its own. A run of few claims and one of many give the seconds of a claim without those of the
start. The cluster is there before: it is started once.

Limitations: one machine, so that workers share its cores, memory and disk, and results travel nowhere.
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import msgspec

from bench.scoreboard.published import AVERITEC, ROOT, peer

CORES = 2


class Measure(NamedTuple):
    """A step to measure.

    `flags`: its inputs. `local`: flags of the local run.
    `few`, `many`: numbers of claims, so that both workers get the same number of batches; else the scaling is wrong.
    """

    step: str
    flags: Sequence[str | Path]
    few: int
    many: int
    local: Sequence[str] = ()


MEASURES = (
    Measure(
        "src.reranking.bm25_sentences",
        ("-k", AVERITEC / "knowledge_store" / "dev", "-c", AVERITEC / "dev.json", "--no_index"),
        few=50,
        many=500,
        local=("--workers", str(CORES)),
    ),
    Measure("src.prediction.veracity_prediction", ("-i", peer("hero_dev_top_k_qa.jsonl.gz")), few=60, many=180),
)


class Seconds(msgspec.Struct):
    """Wall seconds of the runs of few and of many claims, a number for each turn."""

    few: list[float] = []
    many: list[float] = []


class Row(msgspec.Struct):
    """Measurements of one step.

    `few`, `many`: numbers of claims.
    `local`, `ray`: both with all cores: the local pool, and the cluster.
    `one`, `two`: the cluster with one and with two workers of one core each.
    """

    step: str
    few: int
    many: int
    local: Seconds
    ray: Seconds
    one: Seconds
    two: Seconds


def measured(measure: Measure, address: str, turns: int) -> Row:
    """Return the measurements of a step, its runs in turns. Raises CalledProcessError when a run fails."""
    row = Row(measure.step, measure.few, measure.many, Seconds(), Seconds(), Seconds(), Seconds())
    on_ray = ("--ray", address)
    workers = {
        "local": measure.local,
        "ray": on_ray,
        "one": (*on_ray, "--num_actors", "1", "--actor_cpus", "1"),
        "two": (*on_ray, "--num_actors", "2", "--actor_cpus", "1"),
    }
    for _ in range(turns):
        for name, flags in workers.items():
            seconds: Seconds = getattr(row, name)
            seconds.few.append(_run(measure, measure.few, flags))
            seconds.many.append(_run(measure, measure.many, flags))
    return row


def _run(measure: Measure, claims: int, flags: Sequence[str]) -> float:
    with TemporaryDirectory() as folder:
        paths = [*map(str, measure.flags), "-o", str(Path(folder) / "out.json")]
        command = [sys.executable, "-m", measure.step, *paths, "-s", "0", "-e", str(claims), "--quiet", *flags]
        began = time.perf_counter()
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        return round(time.perf_counter() - began, 3)


@contextmanager
def cluster() -> Iterator[str]:
    """Start a cluster of one node on this machine, yield its address, and end it."""
    from ray.cluster_utils import Cluster

    nodes: Any = Cluster(initialize_head=True, head_node_args={"num_cpus": CORES, "include_dashboard": False})
    try:
        yield str(nodes.address)
    finally:
        nodes.shutdown()
