"""What is known before anything is asked: recorded answers, and the steps of an earlier trace.

So a program or an answer that was changed by hand is run again without asking what did not change.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from src.errors import InputError
from src.programs.answering.recorded_answers import key
from src.programs.functions import Answered, Answering, Call, unanswered
from src.programs.program import Function
from src.programs.records import ClaimTrace
from src.records import Value
from src.store import read_by_claim


class Known(Protocol):
    """What has an answer to some calls."""

    def known(self, call: Call) -> Answered | None: ...


class EarlierTrace:
    """The steps of a trace that had an answer, each for its own claim; of two with the same text the last."""

    def __init__(self, path: Path) -> None:
        """Raises InputError (file, line, field)."""
        self._steps: dict[tuple[int, tuple[Function, str]], Answered] = {}
        for trace in read_by_claim(path, ClaimTrace):
            for step in (step for program in trace.programs for step in program.steps):
                try:
                    function = Function(step.function)
                    value = Value(step.value or "") if function is Function.VERIFY else step.value
                except ValueError as error:
                    raise InputError(f"claim {trace.claim_id}: {error}", path=path, field="steps") from None
                if value not in (None, Value.UNKNOWN):
                    found = Answered(value, tuple(step.evidence), step.confidence)
                    self._steps[trace.claim_id, key(function, step.text)] = found

    def known(self, call: Call) -> Answered | None:
        return self._steps.get((call.claim_id, key(call.function, call.text)))


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
