"""Outcomes of executed programs: the trace of each claim, its counts for the manifest, and its failure."""

from collections.abc import Mapping, Sequence

from src.programs.functions import Answering
from src.programs.interpreter import Executed, execute
from src.programs.records import ClaimPrograms, ClaimTrace, DiagnosticKind
from src.programs.votes import Count, vote
from src.records import Value
from src.runner.console import how_many
from src.runner.outcome import Outcome

UNREAD = "unread_verdicts"


def executed(claims: Sequence[ClaimPrograms], answering: Answering, count: Count = vote) -> list[Outcome[ClaimTrace]]:
    """Return the trace, the counts and the failure of each claim. Raises whatever `answering` raises."""
    found = execute(claims, answering, count)
    return [Outcome(one.trace, counted(one), _failure(one)) for one in found]


def _failure(done: Executed) -> str:
    return "; ".join(done.failures) if done.trace.programs else "has no program"


def counted(done: Executed) -> Mapping[str, int]:
    """Return what the manifest sums up: programs, steps, unknown values, cost, and diagnostics by kind."""
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


def told(counts: Mapping[str, int]) -> list[str]:
    """Return messages for people: counts of diagnostics by kind, of unknown programs and of unreadable verdicts."""
    found = ", ".join(f"{kind} {counts[kind]}" for kind in DiagnosticKind if counts.get(kind))
    unknown = f"{counts['unknown_programs']} of {how_many(counts['programs'], 'program')} unknown"
    diagnosed = [f"{found} (src.programs.show tells where)"] if found else []
    notes = ["; ".join([*diagnosed, unknown])] if found or counts["unknown_programs"] else []
    if unread := counts.get(UNREAD):
        notes.append(f"{how_many(unread, 'verdict')} that the model wrote: neither true nor false, taken as unknown")
    return notes


def fewer(claims: Sequence[ClaimPrograms], number: int | None) -> list[str]:
    """Return a note if claims have fewer programs than `number`; no note for None."""
    short = 0 if number is None else sum(len(one.programs) < number for one in claims)
    note = f"{short} of {how_many(len(claims), 'claim')} have fewer than {number} programs: all of theirs were run"
    return [note] if short else []
