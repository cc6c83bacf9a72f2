"""Rule-based error classes of wrongly predicted claims: the classes of ProgramFC's table 2, by groups of claims.

The rules are applied to the first program that voted for the claim's value. The first matching rule counts:

    syntax       the text could not be read, or has no readable label
    token        a variable without a step, a fact in a text, an answer in the label, an unknown operator
    structure    HOVER only: the claim is verified as a whole, or only cut into its parts, or has fewer steps than
                 hops - 1
    subtask      a step that neither the label nor another step uses
    execution    everything else: the program may be right, and then an answer is wrong

HOVER is grouped by hops. FEVEROUS-S is grouped by its challenges; claims with a single gold sentence are one more
group, because the number of sentences gives the label away. There are no empty groups.

Limitations: the paper's classes were judged by people, who also recognize a wrong question; here such a program counts
as execution. A program that was replaced by one that verifies the claim as a whole counts as structure.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from enum import StrEnum

import msgspec

from src.claims import LabelledClaim
from src.programs.parsing.resolution import named_by_label
from src.programs.records import ClaimTrace, DiagnosticKind, Function, ProgramTrace, TwoLabel
from src.programs.whole_claim import verifies_whole
from src.records import Value
from src.text import same

ALL = "all"
ONE_SENTENCE = "one gold sentence"
Groups = dict[str, list[int]]


def by_hops(golds: Sequence[LabelledClaim]) -> Groups:
    """Return the indexes (from 0) of the claims with each number of hops, under names such as `2 hops`.

    The last group, `all`, has all claims.
    """
    groups: Groups = defaultdict(list)
    for place, gold in enumerate(golds):
        if gold.hops is not None:
            groups[f"{gold.hops} hops"].append(place)
    return dict(sorted(groups.items())) | {ALL: list(range(len(golds)))}


def by_challenge(golds: Sequence[LabelledClaim]) -> Groups:
    """Return the indexes (from 0) of the claims with one gold sentence, then those of each challenge, by group name.

    The most frequent challenge comes first.
    """
    groups: Groups = defaultdict(list)
    single: Groups = {ONE_SENTENCE: [place for place, gold in enumerate(golds) if len(gold.gold) == 1]}
    for place, gold in enumerate(golds):
        if gold.challenge:
            groups[gold.challenge].append(place)
    frequent = dict(sorted(groups.items(), key=lambda item: (-len(item[1]), item[0])))
    return {name: places for name, places in (single | frequent).items() if places}


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
    """Return the index (from 0) of the first program that voted for the claim's value; None without programs."""
    return next(iter(trace.agreeing()), None)


def error_class(gold: LabelledClaim, trace: ClaimTrace) -> ErrorClass | None:
    """Return the error class of a wrongly predicted claim by the rules; None without programs."""
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
    """Return True if all programs only verify the claim as a whole, like those of baselines.

    Such programs have no error classes.
    """
    return all(verifies_whole(program, trace.claim) for program in trace.programs)


def _names_nothing(program: ProgramTrace) -> bool:
    """Return True if a step uses a variable to which no step is assigned.

    A variable whose step has no answer does not count.
    """
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


class Errors(msgspec.Struct, frozen=True):
    """Number of wrongly predicted claims of a group.

    `wrong`: number in all.
    `classes`: number by error class; claims without any program are in no class.
    """

    wrong: int
    classes: dict[ErrorClass, int]


class Conduct(msgspec.Struct, frozen=True):
    """Statistics of the traces of one file.

    `confusion`: number of claims with each value and gold label: `confusion[value][label]`.
    `programs`: number of programs.
    `unknown_programs`: share of programs whose value is unknown, 0 to 1.
    `model_calls`: mean number of model calls per claim.
    `errors`: wrongly predicted claims by group; None if every program only verifies the claim as a whole.
    """

    confusion: dict[Value, dict[TwoLabel, int]]
    programs: int
    unknown_programs: float
    model_calls: float
    errors: dict[str, Errors] | None


def conduct(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> Conduct:
    """Return the statistics of a trace file: confusion matrix, unknown programs, model calls, and errors by group.

    `traces[n]` must be the trace of `golds[n]`.
    """
    pairs = list(zip(golds, traces, strict=True))
    programs = [program for trace in traces for program in trace.programs]
    unknown = sum(program.value is Value.UNKNOWN for program in programs)
    counts = Counter((trace.value, TwoLabel.of(gold.value)) for gold, trace in pairs)
    errors = {name: _errors([pairs[at] for at in places]) for name, places in by_hops(golds).items()}
    return Conduct(
        confusion={v: {TwoLabel.of(g): counts[v, TwoLabel.of(g)] for g in (Value.TRUE, Value.FALSE)} for v in Value},
        programs=len(programs),
        unknown_programs=unknown / max(1, len(programs)),
        model_calls=sum(trace.model_calls for trace in traces) / len(traces),
        errors=None if all(map(only_verifies_whole, traces)) else errors,
    )


def _errors(pairs: Sequence[tuple[LabelledClaim, ClaimTrace]]) -> Errors:
    wrong = [(gold, trace) for gold, trace in pairs if TwoLabel.of(trace.value) != TwoLabel.of(gold.value)]
    counts = Counter(error_class(gold, trace) for gold, trace in wrong)
    return Errors(len(wrong), {one: counts[one] for one in ErrorClass})
