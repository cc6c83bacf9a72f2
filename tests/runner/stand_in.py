"""Stand-ins for Ray and the nodes of a cluster: calls that a test finishes when it likes."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ray.exceptions import RayActorError

from src.errors import FatalError
from src.runner.cluster.on_node import UnusableNode


class Call:
    """A remote call. `claims`: its argument, if it is a batch."""

    def __init__(self, claims: Sequence[Any] = ()) -> None:
        self.claims = claims
        self.is_finished = False
        self.result: object = None

    def finish(self, result: object) -> None:
        self.is_finished, self.result = True, result

    def lose(self) -> None:
        """End the call with its worker."""
        self.finish(RayActorError())


class StandInRay:
    """Ray: puts values nowhere, and waits for nothing."""

    def put(self, value: object) -> object:
        return value

    def wait(self, calls: list[Call], **_: object) -> tuple[list[Call], list[Call]]:
        return [call for call in calls if call.is_finished], []

    def get(self, call: Call) -> object:
        if isinstance(call.result, Exception):
            raise call.result
        return call.result


class StandInNodes:
    """Nodes with room for `number` workers; one is compared while `comparing`. `left_out`: with their reasons.

    `said`: lines, and what was waited for. `ending`: message of the error that a look at the nodes raises, if any.
    """

    def __init__(self, number: int = 2) -> None:
        self.number, self.comparing, self.ending = number, False, ""
        self.left_out: list[UnusableNode] = []
        self.said: list[str] = []

    def room(self) -> int:
        if self.ending:
            raise FatalError(self.ending)
        return self.number

    def is_comparing(self) -> bool:
        return self.comparing

    def leave_out(self, node: UnusableNode) -> None:
        self.left_out.append(node)

    def needs(self) -> Mapping[str, Any]:
        return {}

    def files(self) -> None:
        pass

    def summary(self) -> str:
        return "a stand-in"

    def say(self, text: str) -> None:
        self.said.append(text)

    def waiting(self, for_what: str) -> AbstractContextManager[None]:
        self.said.append(for_what)
        return nullcontext()
