"""Answers from an earlier trace: steps that did not change are not answered again.

A step is matched by claim, function and text. An unknown step is also reused if a model was called for it and did not
fail; the manifest and the failures file of the trace show that.

Limitations: a trace that was answered with other settings than this run is still used; a note says so.
"""

from collections.abc import Mapping
from pathlib import Path

from src.programs.answerers.recorded_answers import key
from src.programs.answerers.settings import ANSWERING
from src.programs.functions import Answered, Call
from src.programs.records import ClaimTrace, Function
from src.programs.trace_file import read_traces
from src.records import Value
from src.runner.claim_range import in_words
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import read_manifest
from src.runner.output import read_failures


class EarlierTrace:
    """The answers in a trace. `claims` are the texts of this run's claims by claim_id; claims with another text are
    ignored."""

    def __init__(self, path: Path, claims: Mapping[int, str]) -> None:
        """Read the trace. Raises InputError (file, line, field) when a line is not a trace."""
        traces = read_traces(path)
        manifest = read_manifest(path)
        self._path, self._made = path, None if manifest is None else manifest.fingerprint
        self._by_model = self._made is None or self._made.settings.get("setting") is not None
        self._shared = sum(one.claim_id in claims for one in traces)
        self._others = {one.claim_id for one in traces if claims.get(one.claim_id, one.claim) != one.claim}
        self._steps: dict[tuple[int, tuple[Function, str]], Answered] = {}
        failed = _failed(path)
        for trace in traces:
            if trace.claim_id not in self._others:
                self._take(trace, unknowns=self._by_model and trace.claim_id not in failed)

    def known(self, call: Call) -> Answered | None:
        return self._steps.get((call.claim_id, key(call.function, call.text)))

    def notes(self, ours: Fingerprint) -> list[str]:
        """Return notes: the claims whose steps were not taken and, if a model answers, how its settings differ from
        `ours`."""
        found = [] if self._shared else [f"{self._path} holds none of these claims; nothing is taken from it"]
        if self._others:
            ids = in_words(self._others)
            found.append(f"claims with another text in {self._path}, whose steps are not taken from it: {ids}")
        if ours.settings.get("setting") is not None and (otherwise := self._otherwise(ours)):
            found.append(f"{self._path} was answered otherwise ({otherwise}); its steps are taken as they are")
        return found

    def _otherwise(self, ours: Fingerprint) -> str:
        if self._made is None:
            return "nothing says how"
        if self._made.step == ours.step and not self._by_model:
            return ""  # recorded answers are the user's own choice
        there, here = _of_answers(self._made), _of_answers(ours)
        both = there.inputs.keys() & here.inputs.keys()
        changed = [f"another --{name}" for name in changed_inputs(there, here) if name in both]
        return "; ".join(filter(None, [differences(there, here), *changed]))

    def _take(self, trace: ClaimTrace, *, unknowns: bool) -> None:
        """Store the steps of a claim.

        Of steps with one text, the last with a known value counts. An unknown step is stored only with `unknowns`.
        """
        for step in (step for program in trace.programs for step in program.steps):
            value = Value(str(step.value)) if step.function is Function.VERIFY else step.value
            place = (trace.claim_id, key(step.function, step.text))
            if value not in (None, Value.UNKNOWN) or (unknowns and place not in self._steps):
                self._steps[place] = Answered(value, tuple(step.evidence), step.confidence)


def _failed(path: Path) -> set[int]:
    """Return the claims in the failures file of the trace."""
    return {one.claim_id for one in read_failures(path)}


def _of_answers(made: Fingerprint) -> Fingerprint:
    """Return the part of the fingerprint that answers depend on."""
    return Fingerprint(
        made.step,
        {name: value for name, value in made.settings.items() if name in ANSWERING},
        {name: file for name, file in made.inputs.items() if name in ANSWERING},
        first=0,
        last=0,
        claims=0,
    )
