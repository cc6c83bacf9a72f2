"""Resolution of variables in a program: the step that each variable refers to, and diagnostics about it.

A variable refers to the last earlier step that is assigned to it, or else to the first later one. Verify steps with the
same name are renumbered if the label (the argument of Predict) then finds all of its variables. Otherwise the last one
counts.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence

import msgspec

from src.programs.parsing.expression import ExpressionError, Program, Step, parse, variables
from src.programs.records import Diagnostic, DiagnosticKind, Function, ProgramTrace

# Suffixes of a name that change no word of the answer: a conversion, a format, methods that trim it or set its case
_FORMAT = r"(?:!\s*[rsa]\s*)?(?::(?:[^{}]?[<>=^])?[-+ ]?\#?0?\d*[,_]?(?:\.\d+)?[a-zA-Z%]?\s*)?"
_METHODS = r"(?:\.\s*(?:[lr]?strip|lower|upper|title|capitalize|casefold)\s*\(\s*\)\s*)*"
PLACEHOLDER = re.compile(rf"(?<!\{{)\{{+\s*([A-Za-z_]\w*)\s*{_METHODS}{_FORMAT}\}}+")
_BRACE = re.compile(r"[{}]")

Meaning = dict[str, int | None]  # from a variable in lower case to the place of its step, or None


class Links(msgspec.Struct, frozen=True):
    """The steps that the variables of a program refer to, by index (from 0).

    `texts`: for each step, the variables in its text with the steps that they refer to.
    `label`: the variables in the label with the steps that they refer to.
    `stuck`: indexes of the steps that can never be called.
    """

    texts: tuple[Meaning, ...]
    label: Meaning
    stuck: frozenset[int]


def links(program: Program) -> Links:
    """Return the steps that the variables of the program refer to."""
    steps, assigned = program.steps, [step.variable for step in program.steps]
    texts = tuple(
        {name.lower(): _meant(name.lower(), assigned, place) for name in PLACEHOLDER.findall(step.text)}
        for place, step in enumerate(steps)
    )
    operands = variables(program.label) if program.label is not None else []
    label = {name: _meant(name, assigned, len(steps)) for name in operands}
    return Links(texts, label, _stuck(steps, texts))


def _meant(name: str, assigned: Sequence[str | None], place: int) -> int | None:
    indexes = [at for at, variable in enumerate(assigned) if variable == name and at != place]
    before = [at for at in indexes if at < place]
    return before[-1] if before else next(iter(indexes), None)


def named_by_label(trace: ProgramTrace) -> list[int]:
    """Return the indexes (from 0) of the steps that the label of an executed program refers to."""
    return [place for place in operands_of(trace).values() if place is not None]


def operands_of(trace: ProgramTrace) -> Meaning:
    """Return the variables in the label of an executed program, each with the index of its step.

    A variable without a step has None. Without a readable label, the result is empty.
    """
    try:
        names = variables(parse(trace.label or ""))
    except ExpressionError:
        return {}
    assigned = [step.variable for step in trace.steps]
    return {name: _meant(name, assigned, len(assigned)) for name in names}


def _stuck(steps: Sequence[Step], texts: Sequence[Meaning]) -> frozenset[int]:
    """Return the indexes of the steps that can never be called.

    Such a step has no text, refers to something other than the answer of a question, is in a cycle of references, or
    depends on such a step.
    """
    able: set[int] = set()
    while ready := [at for at, step in enumerate(steps) if at not in able and _is_able(step, texts[at], steps, able)]:
        able.update(ready)
    return frozenset(range(len(steps))) - able


def _is_able(step: Step, names: Meaning, steps: Sequence[Step], able: set[int]) -> bool:
    return (
        bool(step.text)
        and not has_other_braces(step.text)
        and all(
            place is not None and place in able and steps[place].function is Function.QUESTION
            for place in names.values()
        )
    )


def has_other_braces(text: str) -> bool:
    """Return True if the text has a brace outside of variables; a variable is written `{answer_1}`."""
    return bool(_BRACE.search(PLACEHOLDER.sub("", text)))


def resolved(program: Program) -> Program:
    """Return the program with diagnostics about its variables, as a last part of parsing.

    Verify steps that are assigned to the same variable are renumbered, if each variable in the argument of Predict then
    has a step.
    """
    program = _renumbered(program)
    references = links(program)
    diagnostics = [*_of_texts(program, references), *_of_label(program, references)]
    return msgspec.structs.replace(program, diagnostics=(*program.diagnostics, *diagnostics))


def _renumbered(program: Program) -> Program:
    repeated = [at for at, step in enumerate(program.steps) if _is_repeated(program.steps, at)]
    if not repeated:
        return program
    missing = [name for name, place in links(program).label.items() if place is None]
    steps, number = list(program.steps), 0
    for at, step in enumerate(steps):
        if step.function is Function.VERIFY and step.variable:
            number += 1
            steps[at] = msgspec.structs.replace(step, variable=f"fact_{number}")
    anew = msgspec.structs.replace(program, steps=tuple(steps))
    if len(missing) == len(repeated) and _fits(anew):
        pairs = zip(program.steps, anew.steps, strict=True)
        diagnostics = [_renamed(old, new) for old, new in pairs if old.variable != new.variable]
        return msgspec.structs.replace(anew, diagnostics=(*program.diagnostics, *diagnostics))
    diagnostics = [_repeated(program.steps[at]) for at in repeated]
    return msgspec.structs.replace(program, diagnostics=(*program.diagnostics, *diagnostics))


def _is_repeated(steps: Sequence[Step], place: int) -> bool:
    return steps[place].variable is not None and steps[place].variable in {step.variable for step in steps[:place]}


def _fits(program: Program) -> bool:
    """Return True if each variable of the program is assigned once, and the label finds all of its variables."""
    assigned = Counter(step.variable for step in program.steps if step.variable)
    return max(assigned.values()) == 1 and None not in links(program).label.values()


def _renamed(old: Step, new: Step) -> Diagnostic:
    message = f"{old.variable} is {new.variable} now: a variable is assigned twice, and the label names one more"
    return Diagnostic(DiagnosticKind.RENAMED_DUPLICATE, new.line, message)


def _repeated(step: Step) -> Diagnostic:
    return Diagnostic(
        DiagnosticKind.DUPLICATE_VARIABLE, step.line, f"{step.variable} is assigned twice; the last counts"
    )


def _of_texts(program: Program, references: Links) -> Iterator[Diagnostic]:
    for at, (step, names) in enumerate(zip(program.steps, references.texts, strict=True)):
        if has_other_braces(step.text):
            message = "braces in the text hold something else than a variable"
            yield Diagnostic(DiagnosticKind.UNRESOLVED_VARIABLE, step.line, message)
        for name, place in names.items():
            if place is None:
                yield Diagnostic(DiagnosticKind.UNRESOLVED_VARIABLE, step.line, f"{name} is assigned nowhere")
            elif program.steps[place].function is Function.VERIFY:
                yield Diagnostic(DiagnosticKind.FACT_IN_TEXT, step.line, f"{name} is a truth value, no text")
            elif place in references.stuck:
                yield Diagnostic(DiagnosticKind.UNRESOLVED_VARIABLE, step.line, f"{name} can have no answer")
            elif place > at:
                yield Diagnostic(DiagnosticKind.FORWARD_REFERENCE, step.line, f"{name} is assigned further down")


def _of_label(program: Program, references: Links) -> Iterator[Diagnostic]:
    for name, place in references.label.items():
        if place is None:
            yield Diagnostic(DiagnosticKind.UNDEFINED_VARIABLE, program.label_line, f"{name} is assigned nowhere")
            continue
        if program.steps[place].function is Function.QUESTION:
            message = f"{name} is an answer, true or false only where it says yes or no"
            yield Diagnostic(DiagnosticKind.ANSWER_USED_AS_FACT, program.label_line, message)
        if program.steps[place].line > program.label_line:
            message = f"{name} is assigned further down"
            yield Diagnostic(DiagnosticKind.FORWARD_REFERENCE, program.label_line, message)
