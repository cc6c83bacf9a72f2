"""Interpreter of programs: runs many claims at once and sends the calls of all steps that are ready in one list.

A step is ready when all answers for its text are known. Variables are replaced in one pass, so braces in an answer are
left as they are. Identical calls of a claim are made once. A step that depends on a missing answer is not called; its
value is unknown.

The programs of a claim then vote: by plurality, or by the rule of ProgramFC's released code. A program without a
readable label (the argument of Predict) has no vote. Ties of the plurality go to the value whose programs have the
higher summed confidence. Remaining ties go to the first of false, true, conflicting, unknown: the order of the
verdicts' frequency in AVeriTeC.

Limitations: the interpreter does not know which model answers, or from which evidence (`functions.py`).
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

import msgspec

from src.programs.functions import Answered, Answering, Call, StepValue, as_value, unanswered
from src.programs.parsing.expression import Program, Step, decisive, evaluate, written
from src.programs.parsing.resolution import PLACEHOLDER, links
from src.programs.records import ClaimPrograms, ClaimTrace, Diagnostic, DiagnosticKind, ProgramTrace, StepTrace
from src.programs.whole_claim import read_for
from src.records import Value
from src.runner.console import how_many
from src.runner.outcome import Outcome

ORDER = (Value.FALSE, Value.TRUE, Value.CONFLICTING, Value.UNKNOWN)


class Ballot(NamedTuple):
    """Vote of one program.

    `value`: value of the program.
    `confidence`: summed confidence of its steps.
    `has_label`: True if Predict's argument could be read; if False, the vote does not count.
    """

    value: Value
    confidence: float
    has_label: bool = True


class Vote(StrEnum):
    """The rules by which the votes of a claim's programs are counted."""

    PLURALITY = "plurality"
    PUBLISHED = "published"


Count = Callable[[Sequence[Ballot]], tuple[Value, float]]


def vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return the value with the most votes, and its share of all programs (0 to 1).

    Without a ballot that counts, the result is unknown and 0.
    """
    voting = [ballot for ballot in ballots if ballot.has_label]
    if not voting:
        return Value.UNKNOWN, 0.0
    votes = Counter(ballot.value for ballot in voting)
    sure = {value: sum(one.confidence for one in voting if one.value is value) for value in votes}
    best = max(votes, key=lambda value: (votes[value], sure[value], -ORDER.index(value)))
    return best, votes[best] / len(ballots)


def published_vote(ballots: Sequence[Ballot]) -> tuple[Value, float]:
    """Return true if more programs are true than false, else false; and the share (0 to 1) of programs on that side.

    This is the rule of ProgramFC's released code, where programs are either true or false. Here a program can also be
    unknown or conflicting: it is not counted in the comparison, but in the share of false. Without a ballot that
    counts, the result is unknown and 0.
    """
    voting = [ballot.value for ballot in ballots if ballot.has_label]
    if not voting:
        return Value.UNKNOWN, 0.0
    true = voting.count(Value.TRUE)
    if true > voting.count(Value.FALSE):
        return Value.TRUE, true / len(ballots)
    return Value.FALSE, (len(voting) - true) / len(ballots)


COUNTS: dict[Vote, Count] = {Vote.PLURALITY: vote, Vote.PUBLISHED: published_vote}


class Executed(NamedTuple):
    """The result of a claim's programs.

    `trace`: record of the executed programs and of their vote.
    `prompt_tokens`, `new_tokens`: number of tokens, summed over the answers.
    `failures`: reasons why a model did not answer a step.
    `unread`: number of verdicts written by a model that are neither true nor false.
    """

    trace: ClaimTrace
    prompt_tokens: int
    new_tokens: int
    failures: tuple[str, ...]
    unread: int = 0


def execute(claims: Sequence[ClaimPrograms], answering: Answering, count: Count = vote) -> list[Executed]:
    """Run the programs of each claim; return one result per claim, in order.

    `answering` answers the steps. `count` is the rule that turns the programs' votes into one value. Errors of
    `answering` are raised unchanged.
    """
    running = [[Running(claim.claim_id, read_for(claim.claim, text)) for text in claim.programs] for claim in claims]
    known: dict[Call, Answered] = {}
    every = [one for programs in running for one in programs]
    while waiting := list(dict.fromkeys(call for one in every for call in one.take(known))):
        known |= zip(waiting, map(_in_one_line, answering.answer(waiting)), strict=True)
    answers: dict[int, list[Answered]] = {claim.claim_id: [] for claim in claims}
    for call, answered in known.items():
        answers[call.claim_id].append(answered)
    return [
        _executed(claim, programs, answers[claim.claim_id], count)
        for claim, programs in zip(claims, running, strict=True)
    ]


def _in_one_line(answered: Answered) -> Answered:
    """Return the answer of a question with white space collapsed; an answer of white space alone becomes None."""
    if isinstance(answered.value, Value) or answered.value is None:
        return answered
    return msgspec.structs.replace(answered, value=" ".join(answered.value.split()) or None)


def _executed(
    claim: ClaimPrograms, programs: "Sequence[Running]", answers: Sequence[Answered], count: Count
) -> Executed:
    value, share = count([one.ballot() for one in programs])
    traces, calls = [one.trace() for one in programs], sum(answered.model_calls for answered in answers)
    failures = tuple(dict.fromkeys(answered.failure for answered in answers if answered.failure))
    prompts, written = (sum(one.prompt_tokens for one in answers), sum(one.new_tokens for one in answers))
    unread = sum(one.unread for one in answers)
    trace = ClaimTrace(claim.claim_id, claim.claim, value, share, calls, traces)
    return Executed(trace, prompts, written, failures, unread)


class Running:
    """A program that is being executed: the texts of its calls, and the answers so far.

    An answer of None has not been given yet.
    """

    def __init__(self, claim_id: int, program: Program) -> None:
        self._claim_id, self._program, self._links = claim_id, program, links(program)
        self._texts = [step.text for step in program.steps]
        self._diagnostics = list(program.diagnostics)
        self._answers = [
            unanswered(step.function) if at in self._links.stuck else None for at, step in enumerate(program.steps)
        ]

    def take(self, known: Mapping[Call, Answered]) -> list[Call]:
        """Store the known answers of steps, and return the calls that must be answered next.

        `known` holds all answers so far. The list is empty when the program is finished.
        """
        while True:
            open_steps = [at for at, answer in enumerate(self._answers) if answer is None and self._is_ready(at)]
            calls = {at: self._call(at) for at in open_steps}
            for at, call in calls.items():
                self._answers[at] = unanswered(self._program.steps[at].function) if call is None else known.get(call)
            if all(self._answers[at] is None for at in open_steps):
                return [call for call in calls.values() if call is not None]

    def _is_ready(self, at: int) -> bool:
        return all(place is not None and self._answers[place] is not None for place in self._links.texts[at].values())

    def _call(self, at: int) -> Call | None:
        """Return the call of the step with index `at`, with variables filled in; None if one of them has no answer."""
        step = self._program.steps[at]
        answers = {name: self._value(place) for name, place in self._links.texts[at].items()}
        for name, answer in answers.items():
            if answer is None:
                message = f"{name} has no answer"
                self._diagnostics.append(Diagnostic(DiagnosticKind.UNRESOLVED_VARIABLE, step.line, message))
                return None
        self._texts[at] = PLACEHOLDER.sub(lambda match: str(answers[match[1].lower()]), step.text)
        return Call(self._claim_id, step.function, self._texts[at])

    def _value(self, place: int | None) -> StepValue:
        answered = self._answers[place] if place is not None else None
        return answered.value if answered is not None else None

    def _operands(self) -> dict[str, Value]:
        """Return the value of each variable in the label.

        An answer to a question counts as true or false only if it states yes or no (`as_value`).
        """
        values = {name: self._value(place) for name, place in self._links.label.items()}
        return {name: value if isinstance(value, Value) else as_value(value or "") for name, value in values.items()}

    def value(self) -> Value:
        label = self._program.label
        return Value.UNKNOWN if label is None else evaluate(label, self._operands())

    def ballot(self) -> Ballot:
        confidence = sum(answered.confidence for answered in self._answers if answered is not None)
        return Ballot(self.value(), confidence, self._program.label is not None)

    def trace(self) -> ProgramTrace:
        label = self._program.label
        telling = decisive(label, self._operands()) if label is not None else set()
        places = {self._links.label[name] for name in telling}
        steps = [self._step(at, step, decisive=at in places) for at, step in enumerate(self._program.steps)]
        return ProgramTrace(self.value(), steps, self._diagnostics, None if label is None else written(label))

    def _step(self, at: int, step: Step, *, decisive: bool) -> StepTrace:
        answered = self._answers[at] or unanswered(step.function)
        uses = [place for place in self._links.texts[at].values() if place is not None]
        return StepTrace(
            step.variable,
            step.function,
            step.line,
            self._texts[at],
            answered.value,
            list(answered.evidence),
            decisive,
            uses,
            answered.confidence,
        )


UNREAD = "unread_verdicts"


def executed(claims: Sequence[ClaimPrograms], answering: Answering, count: Count = vote) -> list[Outcome[ClaimTrace]]:
    """Run the programs of each claim; return one outcome per claim, in order, for the job that writes them.

    An outcome has the trace, counts for the manifest, and the reason if a step failed. Errors of `answering` are raised
    unchanged.
    """
    results = execute(claims, answering, count)
    return [Outcome(one.trace, counted(one), _failure(one)) for one in results]


def _failure(done: Executed) -> str:
    return "; ".join(done.failures) if done.trace.programs else "has no program"


def counted(done: Executed) -> Mapping[str, int]:
    """Return counts of one claim for the manifest: programs, steps, unknown values, cost, and diagnostics by kind."""
    programs = done.trace.programs
    counts = {
        "programs": len(programs),
        "unknown_programs": sum(program.value is Value.UNKNOWN for program in programs),
        "steps": sum(len(program.steps) for program in programs),
        "model_calls": done.trace.model_calls,
        "prompt_tokens": done.prompt_tokens,
        "new_tokens": done.new_tokens,
    }
    if done.unread:
        counts[UNREAD] = done.unread
    for program in programs:
        for diagnostic in program.diagnostics:
            counts[diagnostic.kind] = counts.get(diagnostic.kind, 0) + 1
    return counts


def run_notes(counts: Mapping[str, int]) -> list[str]:
    """Return notes for the user: the number of diagnostics by kind, of unknown programs and of unreadable verdicts."""
    kinds = ", ".join(f"{kind} {counts[kind]}" for kind in DiagnosticKind if counts.get(kind))
    unknown = f"{counts['unknown_programs']} of {how_many(counts['programs'], 'program')} unknown"
    diagnosed = [f"{kinds} (src.programs.show tells where)"] if kinds else []
    notes = ["; ".join([*diagnosed, unknown])] if kinds or counts["unknown_programs"] else []
    if unread := counts.get(UNREAD):
        notes.append(f"{how_many(unread, 'verdict')} that the model wrote: neither true nor false, taken as unknown")
    return notes


def fewer(claims: Sequence[ClaimPrograms], number: int | None) -> list[str]:
    """Return a note, as a list, if some claims have fewer programs than `number`; [] if none has.

    `number`: programs that were wanted for each claim (--num_programs); None: all that are there.
    """
    short = 0 if number is None else sum(len(one.programs) < number for one in claims)
    note = f"{short} of {how_many(len(claims), 'claim')} have fewer than {number} programs: all of theirs were run"
    return [note] if short else []
