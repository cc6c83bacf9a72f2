"""What is known before anything is asked (recorded answers, the steps of an earlier trace) comes first.

So a program or an answer that was changed by hand is run again without asking what did not change.
"""

from collections.abc import Sequence
from typing import Protocol

from src.programs.functions import Answered, Answering, Call, unanswered


class Known(Protocol):
    """What has an answer to some calls."""

    def known(self, call: Call) -> Answered | None: ...


class KnownFirst:
    """Asks `rest` what none of the `sources` knows; without it that is unknown, and stands in `missing`."""

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
