"""The start of a worker, without Ray: files are compared before anything of the job is read, and once a node."""

from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.runner.cluster import on_node
from src.runner.cluster.on_node import DriverFiles, JobRefs, UnusableNode
from src.runner.engine import Engine
from src.runner.fingerprint import input_files
from src.runner.manifest import source_hash
from src.runner.place import Work

NODE = "this node"


class Store:
    """A stand-in for Ray's object store; `read`: what was read from it, in order."""

    def __init__(self, **values: object) -> None:
        self.values = values
        self.read: list[str] = []

    def get(self, name: str) -> Any:
        self.read.append(name)
        value = self.values[name]
        if isinstance(value, Exception):
            raise value
        return value


def started(monkeypatch: pytest.MonkeyPatch, store: Store) -> Any:
    monkeypatch.setattr(on_node, "ray", store)
    monkeypatch.setattr(on_node, "_this_node", lambda: NODE)
    refs: Any = JobRefs
    return on_node._started(refs("files", "work"))


def files(source: str = "", **inputs: Path) -> DriverFiles:
    return DriverFiles(str(Path.cwd()), input_files(inputs), source or source_hash())


def work(error: Exception | None = None) -> Work[Any, Any]:
    def start() -> Engine[Any, Any]:
        if error is not None:
            raise error
        return Engine(work=lambda batch: [])

    return Work("step", start, lambda record: b"", lambda claim: None)


def test_the_work_is_read_only_where_the_files_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(files=files(source="another"), work=ImportError("No module named 'src.new'"))
    assert started(monkeypatch, store) == UnusableNode(NODE, "it has another version of the project")
    assert store.read == ["files"]


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (InputError("no such model"), "no such model"),
        (RuntimeError("CUDA error:\n  out of memory"), "RuntimeError: CUDA error: out of memory"),
        (OSError("Stale file handle"), "OSError: Stale file handle"),
        (ImportError("libcudart.so.12"), "ImportError: libcudart.so.12"),
    ],
)
def test_a_node_where_a_model_cannot_be_loaded_is_unusable(
    monkeypatch: pytest.MonkeyPatch, error: Exception, reason: str
) -> None:
    assert started(monkeypatch, Store(files=files(), work=work(error))) == UnusableNode(NODE, reason)


def test_work_that_cannot_be_read_makes_the_node_unusable(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(files=files(), work=ImportError("No module named 'peft'"))
    assert started(monkeypatch, store) == UnusableNode(NODE, "ImportError: No module named 'peft'")


def test_inputs_are_read_once_on_a_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "claims.json"
    path.write_text("[]")
    compared = DriverFiles(str(Path.cwd()), input_files({"claim_file": path}), source_hash(), frozenset({NODE}))
    path.write_text("[1]")
    assert isinstance(started(monkeypatch, Store(files=compared, work=work())), on_node._Started)
    elsewhere = DriverFiles(compared.folder, compared.inputs, compared.source_sha256, frozenset({"another node"}))
    differs = UnusableNode(NODE, f"{path}: differs from the driver's")
    assert started(monkeypatch, Store(files=elsewhere, work=work())) == differs
