"""Answers that are known before anything is called: recorded answers, and the steps of an earlier trace.

A program or an answer that was changed by hand is run again without new calls for the unchanged steps.
"""

from collections.abc import Sequence
from typing import Protocol

from src.programs.functions import Answered, Answering, Call, unanswered


class Known(Protocol):
    """A source that knows the answers of some calls."""

    def known(self, call: Call) -> Answered | None: ...


class KnownFirst:
    """Answers calls from `sources`, and the others from `rest`. Without `rest` they are unknown, and listed in
    `missing`."""

    def __init__(self, sources: Sequence[Known], rest: Answering | None = None) -> None:
        self._sources, self._rest = sources, rest
        self.missing: dict[Call, None] = {}

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        found = {call: self._known(call) for call in calls}
        asked = [call for call, answered in found.items() if answered is None]
        if self._rest is not None:
            found |= zip(asked, self._rest.answer(asked), strict=True)
        else:
            self.missing |= dict.fromkeys(asked)
        return [found[call] or unanswered(call.function) for call in calls]

    def _known(self, call: Call) -> Answered | None:
        return next((found for source in self._sources if (found := source.known(call)) is not None), None)
