"""Rule-based error classes of wrongly predicted claims: the classes of ProgramFC's table 2.

The first matching rule counts, applied to the first program that voted for the claim's value:

    syntax       the text could not be read, or has no readable label
    token        a variable without a step, a fact in a text, an answer in the label, an unknown operator
    structure    HOVER only: the claim is verified as a whole, or only cut into its parts, or has fewer steps than
                 hops - 1
    subtask      a step that neither the label nor another step uses
    execution    everything else: the program may be right, and then an answer is wrong

Limitations: the paper's classes were judged by people, who also recognize a wrong question; here such a program counts
as execution. A program that was replaced by one that verifies the claim as a whole counts as structure.
"""

from enum import StrEnum

from src.claims.labelled import LabelledClaim
from src.programs.parsing.resolution import named_by_label
from src.programs.records import ClaimTrace, DiagnosticKind, Function, ProgramTrace
from src.programs.whole_claim import verifies_whole
from src.text import same

COPIED = 0.9  # share of a claim's words in one Verify, or of a step's words in the claim
SYNTAX = {DiagnosticKind.MISSING_PREDICT, DiagnosticKind.PARSE_ERROR, DiagnosticKind.LIMIT_EXCEEDED}
TOKEN = {
    *(DiagnosticKind.UNDEFINED_VARIABLE, DiagnosticKind.FACT_IN_TEXT, DiagnosticKind.ANSWER_USED_AS_FACT),
    *(DiagnosticKind.UNSUPPORTED_EXPRESSION, DiagnosticKind.DUPLICATE_VARIABLE),
}


class ErrorClass(StrEnum):
    SYNTAX = "syntax"
    TOKEN = "token"
    STRUCTURE = "structure"
    SUBTASK = "subtask"
    EXECUTION = "execution"


def deciding(trace: ClaimTrace) -> int | None:
    """Return the place of the first program that voted for the claim's value; None without programs."""
    return next(iter(trace.agreeing()), None)


def error_class(gold: LabelledClaim, trace: ClaimTrace) -> ErrorClass | None:
    """Return the error class of a wrongly predicted claim; None without programs."""
    place = deciding(trace)
    if place is None:
        return None
    program = trace.programs[place]
    kinds = {one.kind for one in program.diagnostics}
    if kinds & SYNTAX:
        return ErrorClass.SYNTAX
    if kinds & TOKEN or _names_nothing(program):
        return ErrorClass.TOKEN
    if gold.hops is not None and _is_misbuilt(gold.claim, program, gold.hops):
        return ErrorClass.STRUCTURE
    return ErrorClass.SUBTASK if _has_idle_step(program) else ErrorClass.EXECUTION


def only_verifies_whole(trace: ClaimTrace) -> bool:
    """Return True if all programs only verify the claim as a whole, as those of baselines do. They have no error
    classes."""
    return all(verifies_whole(program, trace.claim) for program in trace.programs)


def _names_nothing(program: ProgramTrace) -> bool:
    """Return True if a step uses a variable that no step defines; one whose step has no answer does not count."""
    lines = {one.line for one in program.diagnostics if one.kind is DiagnosticKind.UNRESOLVED_VARIABLE}
    waiting = {step.line for step in program.steps if any(program.steps[at].value is None for at in step.uses)}
    return bool(lines - waiting)


def _is_misbuilt(claim: str, program: ProgramTrace, hops: int) -> bool:
    steps, words = program.steps, set(same(claim).split())
    texts = [set(same(step.text).split()) for step in steps if step.function == Function.VERIFY]
    copied = len(steps) == 1 and any(len(words & text) > COPIED * len(words) for text in texts)
    cut = len(texts) == len(steps) and all(len(words & text) > COPIED * len(text) for text in texts)
    return copied or cut or len(steps) < hops - 1


def _has_idle_step(program: ProgramTrace) -> bool:
    used = {*named_by_label(program), *(at for step in program.steps for at in step.uses)}
    return not used.issuperset(range(len(program.steps)))
