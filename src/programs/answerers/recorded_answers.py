"""Answers that are known before a model is called: recorded answers, and the steps of an earlier trace.

If a program or an answer was changed by hand, a new run calls models only for the steps that changed.

A file of recorded answers has lines `{"function": "Verify"|"Question", "text": ..., "value": ...}`. The answer of a
step is in the last line with its function and its text, after variables are filled in. White space is collapsed, and a
final period is ignored. The value of a Verify is true, false, "conflicting" or null (unknown); that of a Question is a
text or null (no answer). Steps without a recorded answer are written to a file next to the output. A person fills in
their values, and passes that file to the next run.

A step of a trace (the record of executed programs) is matched by claim, function and text. An unknown step is also
reused if a model was called for it and did not fail; the manifest and the failures file of the trace show that.

Limitations: a trace that was answered with other settings than this run is still used; a note says so.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec

from src.atomic_file import write_whole
from src.errors import InputError
from src.programs.functions import Answered, Answering, Call, StepValue, unanswered
from src.programs.interpreter import Count, execute, executed, vote
from src.programs.program_files import read_traces
from src.programs.records import ClaimPrograms, ClaimTrace, Function
from src.records import Value
from src.runner.claim_range import in_words
from src.runner.console import how_many
from src.runner.fingerprint import Fingerprint, changed_inputs, differences
from src.runner.manifest import read_manifest
from src.runner.outcome import Outcome
from src.runner.output import read_failures
from src.store import encode_lines, located, read_bytes, read_records


class Known(Protocol):
    """A source of earlier answers to calls of steps; it returns None for a call that it does not know."""

    def known(self, call: Call) -> Answered | None: ...


class KnownFirst:
    """Answerer that looks a call up in `sources`, and passes it on to the answerer `rest` if none of them knows it.

    By default `rest` is None: calls that no source knows are then unanswered, and are collected in `missing`.
    """

    def __init__(self, sources: Sequence[Known], rest: Answering | None = None) -> None:
        self._sources, self._rest = sources, rest
        self.missing: dict[Call, None] = {}

    def answer(self, calls: Sequence[Call]) -> list[Answered]:
        answers = {call: self._known(call) for call in calls}
        remaining = [call for call, answered in answers.items() if answered is None]
        if self._rest is not None:
            answers |= zip(remaining, self._rest.answer(remaining), strict=True)
        else:
            self.missing |= dict.fromkeys(remaining)
        return [answers[call] or unanswered(call.function) for call in calls]

    def _known(self, call: Call) -> Answered | None:
        return next((answer for source in self._sources if (answer := source.known(call)) is not None), None)


_VALUES: dict[bool | str | None, Value] = {
    True: Value.TRUE,
    False: Value.FALSE,
    None: Value.UNKNOWN,
    "conflicting": Value.CONFLICTING,
}


class Recorded(msgspec.Struct, frozen=True):
    """A recorded answer: a line of the file."""

    function: Function
    text: str
    value: bool | str | None


class RecordedAnswers:
    """The recorded answers of a file; they apply to all claims."""

    def __init__(self, path: Path) -> None:
        """Read the file of recorded answers. Raises InputError (file, line, field) when a line cannot be read."""
        lines = located(read_bytes(path), Recorded, path)
        self._values = {key(one.function, one.text): _value(one, path, line) for line, one in lines}

    def notes(self) -> list[str]:
        """Return a note with the number of answers that are null, because a person may have forgotten to fill them in.

        The list is empty if no answer is null.
        """
        open_ = sum(value in (None, Value.UNKNOWN) for value in self._values.values())
        answers = f"{open_} of {how_many(len(self._values), 'recorded answer')}"
        return [f"{answers} null: unknown, or a question without an answer"] if open_ else []

    def known(self, call: Call) -> Answered | None:
        call_key = key(call.function, call.text)
        return Answered(self._values[call_key]) if call_key in self._values else None


def key(function: Function, text: str) -> tuple[Function, str]:
    """Return the lookup key of a call: its function, and its text without extra white space and final period."""
    return function, " ".join(text.split()).removesuffix(".").rstrip()


def _value(recorded: Recorded, path: Path, line: int) -> StepValue:
    value = recorded.value
    if recorded.function is Function.VERIFY:
        if value not in _VALUES:
            message = f'{value!r} is none of true, false, null, "conflicting"'
            raise InputError(message, path=path, line=line, field="value")
        return _VALUES[value]
    if isinstance(value, bool):
        raise InputError("the answer to a Question is a text or null", path=path, line=line, field="value")
    return value


def missing_path(output: Path) -> Path:
    """Return the path of the file of missing answers: `out/dev_trace.json` -> `out/dev_trace.missing.jsonl`."""
    return output.with_name(f"{output.name.removesuffix('.json')}.missing.jsonl")


def missing(calls: Iterable[Call]) -> list[Recorded]:
    """Return one record to be filled in for each call, without a value, sorted by claim_id.

    Calls with the same lookup key share a record.
    """
    lines: dict[tuple[Function, str], Recorded] = {}
    for call in sorted(calls, key=lambda call: call.claim_id):
        lines.setdefault(key(call.function, call.text), Recorded(call.function, call.text, None))
    return list(lines.values())


def write_missing(lines: list[Recorded], path: Path) -> None:
    """Write the records to the file of missing answers at `path`; without records, remove the file.

    Raises OutputError when the file cannot be written.
    """
    if lines:
        write_whole(path, encode_lines(lines))
    else:
        path.unlink(missing_ok=True)


def refuse_loss(path: Path, inputs: Mapping[str, Path], *, overwrite: bool) -> None:
    """Raise InputError if the run would overwrite answers that a person filled in at `path`."""
    if not path.is_file():
        return
    for name, other in inputs.items():
        if path.resolve() == other.resolve():
            raise InputError(f"would be overwritten by this run; give it as --{name} under another name", path=path)
    if not overwrite and any(one.value is not None for one in read_records(path, Recorded)):
        message = "contains answers that this run would overwrite; rename it and give it as --recorded_answers"
        raise InputError(message, path=path)


class EarlierTrace:
    """The answers in the steps of an earlier trace, which is the output of an earlier run.

    `claims`: texts of this run's claims by claim_id; claims of the trace with another text are ignored.
    `answering`: names of the settings and inputs that answers depend on.
    """

    def __init__(self, path: Path, claims: Mapping[int, str], answering: Collection[str]) -> None:
        """Read the trace. Raises InputError (file, line, field) when a line is not a trace."""
        traces = read_traces(path)
        manifest = read_manifest(path)
        self._path, self._made = path, None if manifest is None else manifest.fingerprint
        self._by_model = self._made is None or self._made.settings.get("setting") is not None
        self._answering = answering
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
        """Return notes for the user on this trace; `ours` is the fingerprint of this run.

        They name claims whose answers are not used, and settings that differ from those of this run.
        """
        messages = [] if self._shared else [f"{self._path} contains none of these claims; nothing is taken from it"]
        if self._others:
            ids = in_words(self._others)
            messages.append(f"claims with another text in {self._path}, whose steps are not taken from it: {ids}")
        if ours.settings.get("setting") is not None and (otherwise := self._otherwise(ours)):
            messages.append(f"{self._path} was answered otherwise ({otherwise}); its steps are taken as they are")
        return messages

    def _otherwise(self, ours: Fingerprint) -> str:
        if self._made is None:
            return "nothing says how"
        if self._made.step == ours.step and not self._by_model:
            return ""  # recorded answers are the user's own choice
        there, here = self._of_answers(self._made), self._of_answers(ours)
        both = there.inputs.keys() & here.inputs.keys()
        changed = [f"another --{name}" for name in changed_inputs(there, here) if name in both]
        return "; ".join(filter(None, [differences(there, here), *changed]))

    def _of_answers(self, made: Fingerprint) -> Fingerprint:
        """Return the fingerprint reduced to the settings and inputs that answers depend on."""
        return Fingerprint(
            made.step,
            {name: value for name, value in made.settings.items() if name in self._answering},
            {name: file for name, file in made.inputs.items() if name in self._answering},
            first=0,
            last=0,
            claims=0,
        )

    def _take(self, trace: ClaimTrace, *, unknowns: bool) -> None:
        """Store the answers of a claim's steps.

        If several steps have the same function and text, the last known value counts. An unknown value is stored only
        if `unknowns` is True and no other is stored.
        """
        for step in (step for program in trace.programs for step in program.steps):
            value = Value(str(step.value)) if step.function is Function.VERIFY else step.value
            place = (trace.claim_id, key(step.function, step.text))
            if value not in (None, Value.UNKNOWN) or (unknowns and place not in self._steps):
                self._steps[place] = Answered(value, tuple(step.evidence), step.confidence)


def _failed(path: Path) -> set[int]:
    """Return the claim_ids in the failures file of the trace."""
    return {one.claim_id for one in read_failures(path)}


LISTED = 10  # steps without a recorded answer that are printed


class OnRecord:
    """Runner of programs without a model: steps are answered from files only, and those without an answer are
    collected.
    """

    def __init__(self, claims: Sequence[ClaimPrograms], answers: KnownFirst, path: Path, count: Count = vote) -> None:
        self._answers, self._path, self._count = answers, path, count
        self._left = {claim.claim_id: claim for claim in claims}

    def work(self, batch: Sequence[ClaimPrograms]) -> list[Outcome[ClaimTrace]]:
        for claim in batch:
            self._left.pop(claim.claim_id, None)
        return executed(batch, self._answers, self._count)

    def list_missing(self) -> list[str]:
        """Write all steps without an answer to the file, and return messages that name the first of them.

        If the run continued an interrupted one, the programs of the claims finished before are run once more for this.
        """
        execute(list(self._left.values()), self._answers)
        entries = missing(self._answers.missing)
        write_missing(entries, self._path)
        named = [f"no recorded answer: {one.function} {one.text}" for one in entries[:LISTED]]
        steps = how_many(len(entries), "step")
        summary = f"without a recorded answer: {steps}, listed in {self._path} to be filled in"
        return [*named, *([summary] if entries else [])]
