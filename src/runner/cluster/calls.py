"""Results of remote calls."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from src.errors import FatalError, one_line
from src.runner.cluster.in_flight import Lost
from src.runner.cluster.ray_api import OutOfMemoryError, RayError, RaySystemError, RayTaskError, ray
from src.runner.workers import Fatal

LOOK = 1.0  # seconds of waiting for results, before the cluster is looked at again
NO_PROJECT = "failed to import on the worker"  # in Ray's message for a function; for an argument: RaySystemError


@dataclass(frozen=True)
class NotLoaded(Lost):
    """Result of a batch at a node that cannot load the project."""


def finished_calls(calls: Mapping["ray.ObjectRef[Any]", Any]) -> list["ray.ObjectRef[Any]"]:
    """Return the calls that are finished; waits at most LOOK seconds for the first one."""
    waiting = list(calls)
    if not waiting:
        time.sleep(LOOK)
        return []
    ready, _ = ray.wait(waiting, num_returns=1, timeout=LOOK)
    if ready and len(waiting) > 1:
        ready, _ = ray.wait(waiting, num_returns=len(waiting), timeout=0)
    return list(ready)


def answer_of(call: "ray.ObjectRef[Any]") -> Any:
    """Return the result of a finished call, Lost if its worker has ended, or NotLoaded if its node lacks the project.

    Raises FatalError if the worker says so; an error of the program itself is raised as it was.
    """
    try:
        answer = ray.get(call)
    except RayTaskError as error:
        if not isinstance(error, RaySystemError) and NO_PROJECT not in str(error):
            raise
        return NotLoaded(cause_of(error))
    except OutOfMemoryError:
        return Lost("its node had no memory left")
    except RayError as error:
        return Lost(reason_of(error))
    if isinstance(answer, Fatal):
        raise FatalError(answer.message)
    return answer


def reason_of(error: RayError) -> str:
    """Return why a worker ended: the first sentence of Ray's message."""
    return one_line(str(error)).split(". ")[0][:200]


def cause_of(error: Exception) -> str:
    """Return the last line of an error of Ray, which names the error in the worker."""
    return one_line(str(error).strip().rpartition("\n")[2])[:200]
