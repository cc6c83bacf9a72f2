"""A job on a cluster, with a stand-in for Ray: what is asked of the cluster, displayed and noted."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from src.errors import ClaimError
from src.records import Claim
from src.runner.cluster import ray_cluster
from src.runner.cluster.in_flight import Batch, Lost
from src.runner.cluster.ray_cluster import RayCluster
from src.runner.engine import Engine
from src.runner.fingerprint import InputFile
from src.runner.job import Job
from src.runner.journal import Entry
from src.runner.manifest import read_manifest
from src.runner.outcome import Outcome
from src.runner.place import ThisMachine, Work
from src.settings import ClusterSettings
from tests.runner import letters_step
from tests.runner.letters_step import Capitals, main
from tests.runner.small_world import World, write_world
from tests.runner.worker import Worker, go, go_with


@pytest.fixture
def world(tmp_path: Any) -> World:
    return write_world(tmp_path, [f"claim number {number}" for number in range(4)])


class LocalCluster(ThisMachine[Claim, Capitals]):
    """A cluster that is this process. `batches`, `files`: of each job, how many and which it was told to expect."""

    batches: list[int]
    files: list[set[str]]

    def __init__(
        self, work: Work[Claim, Capitals], settings: object, inputs: Mapping[str, InputFile], batches: int, **_: object
    ) -> None:
        super().__init__(work, 1)
        self.batches.append(batches)
        self.files.append({file.path for file in inputs.values()})

    def entries(self, batches: Iterable[Sequence[Claim]]) -> Iterator[list[Entry]]:
        yield []
        yield from super().entries(batches)

    def status(self) -> str:
        return "2 workers"

    def notes(self) -> Sequence[str]:
        return ["computed elsewhere"]


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> type[LocalCluster]:
    monkeypatch.setattr(LocalCluster, "batches", [], raising=False)
    monkeypatch.setattr(LocalCluster, "files", [], raising=False)
    monkeypatch.setattr(ray_cluster, "RayCluster", LocalCluster)
    return LocalCluster


def test_a_retry_expects_only_the_batches_that_are_left(world: World, cluster: type[LocalCluster]) -> None:
    assert go_with(Worker(at_2=ClaimError("no")), world) == 1
    assert go(world, "--ray", "somewhere") == 0
    assert cluster.batches == [1]


def test_notes_of_the_cluster_are_in_the_manifest(world: World, cluster: type[LocalCluster]) -> None:
    assert go(world, "--ray", "somewhere") == 0
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert "computed elsewhere" in manifest.notes


def test_files_of_models_are_compared_and_change_no_manifest(
    world: World, cluster: type[LocalCluster], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "model.bin"
    model.write_bytes(b"weights")
    monkeypatch.setattr(letters_step, "Job", partial(Job, node_files={"model": model}))
    assert go(world, "--ray", "somewhere") == 0
    assert cluster.files == [{str(world.claims), str(model)}]
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert list(manifest.fingerprint.inputs) == ["claim_file"]


def test_much_that_is_compared_is_one_line(
    world: World, cluster: type[LocalCluster], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    model = tmp_path / "model.bin"
    with model.open("wb") as file:
        file.truncate(3_000_000)
    monkeypatch.setattr(letters_step, "Job", partial(Job, node_files={"model": model, "folder": tmp_path}))
    command = ["-c", str(world.claims), "-o", str(world.output), "--ray", "somewhere", "--overwrite"]
    size = 3_000_000 + world.claims.stat().st_size
    monkeypatch.setattr("src.runner.job.MUCH", size)
    assert main(command) == 0
    assert "comparing" not in capsys.readouterr().out
    monkeypatch.setattr("src.runner.job.MUCH", size - 1)
    assert main(command) == 0
    line = "letters_step: comparing 0.0 GB of models and inputs on each node of the Ray cluster\n"
    assert line in capsys.readouterr().out


def test_progress_is_displayed_before_the_first_result(
    world: World, cluster: type[LocalCluster], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("src.runner.console.LINE_EVERY", 0)
    assert main(["-c", str(world.claims), "-o", str(world.output), "--ray", "somewhere"]) == 0
    assert ": 0 of 4 claims, 0 s, 0 failed, 2 workers\n" in capsys.readouterr().out


class StandIn:
    """Workers that lose each batch with the claim 1, and the nodes and tasks of a stand-in cluster."""

    def __init__(self, *_: object, **__: object) -> None:
        self.sent: list[Batch[Claim]] = []

    def summary(self) -> str:
        return "a stand-in"

    def send(self, batch: Batch[Claim]) -> bool:
        self.sent.append(batch)
        return True

    def finished(self) -> list[tuple[Batch[Claim], list[Entry] | Lost]]:
        batch = self.sent.pop(0)
        is_lost = any(claim.claim_id == 1 for claim in batch.claims)
        return [(batch, Lost("killed") if is_lost else [])]


def test_a_split_batch_is_noted_and_its_lost_claim_has_the_error_of_the_class(monkeypatch: pytest.MonkeyPatch) -> None:
    work = Work[Claim, Capitals]("a.step", lambda: Engine(work=_none), _encoded, lambda one: Capitals(one.claim_id, ""))
    monkeypatch.setattr(ray_cluster, "connect", lambda address, quiet: "")
    monkeypatch.setattr(ray_cluster, "Nodes", StandIn)
    monkeypatch.setattr(ray_cluster, "Tasks", StandIn)
    inputs: Mapping[str, Any] = {}
    place = RayCluster(work, ClusterSettings(), inputs, 2, in_actors=False, quiet=True)
    assert place.notes() == []
    claims = [Claim(f"claim {number}", claim_id=number) for number in range(4)]
    (entry,) = [entry for entries in place.entries([claims[:2], claims[2:]]) for entry in entries]
    assert entry.failure is not None
    assert (entry.failure.claim_id, entry.failure.error) == (1, "WorkerLostError")
    assert entry.failure.message == "its worker ended 7 times: killed"
    note = "1 batch was split after 4 lost workers; its claims were computed one by one: last digits may differ"
    assert place.notes() == [note]


def _none(claims: Sequence[Claim]) -> list[Outcome[Capitals]]:
    return []


def _encoded(record: Capitals) -> bytes:
    return b"{}"
