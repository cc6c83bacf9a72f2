"""Results of remote calls: which errors count as a lost worker, and which are raised as they were."""

from types import SimpleNamespace

import pytest
from ray.exceptions import RayActorError, RaySystemError, RayTaskError

from src.errors import FatalError
from src.runner.cluster import calls
from src.runner.cluster.in_flight import Lost
from src.runner.workers import Fatal


def answer(monkeypatch: pytest.MonkeyPatch, result: object) -> object:
    def get(call: str) -> object:
        if isinstance(result, Exception):
            raise result
        return result

    monkeypatch.setattr(calls, "ray", SimpleNamespace(get=get))
    return calls.answer_of("call")  # type: ignore[arg-type]


def in_worker(cause: Exception, trace: str) -> Exception:
    error: Exception = RayTaskError("compute_batch", trace, cause).as_instanceof_cause()  # type: ignore[no-untyped-call]
    return error


MISSING = "ModuleNotFoundError: No module named 'src'"


ARGUMENT: Exception = RaySystemError(MISSING)  # type: ignore[no-untyped-call]
FUNCTION = RuntimeError(f"The remote function failed to import on the worker. {MISSING}")


@pytest.mark.parametrize("cause", [ARGUMENT, FUNCTION], ids=["argument", "function"])
def test_a_batch_on_a_node_without_the_project_is_not_loaded(monkeypatch: pytest.MonkeyPatch, cause: Exception) -> None:
    assert answer(monkeypatch, in_worker(cause, f"{cause}\n{MISSING}")) == calls.NotLoaded(MISSING)


def test_a_worker_that_has_ended_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    assert type(answer(monkeypatch, RayActorError())) is Lost


def test_a_bug_in_a_worker_is_raised_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ZeroDivisionError):
        answer(monkeypatch, in_worker(ZeroDivisionError(), "ZeroDivisionError"))


def test_a_fatal_error_of_a_worker_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FatalError, match="cannot go on"):
        answer(monkeypatch, Fatal("cannot go on"))
