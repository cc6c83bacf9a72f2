"""Trees of a claim's programs: the label, the steps that it names, and the questions whose answers these steps use.

White space in each text is collapsed to one line. `src/programs/formats` renders the trees.
"""

import msgspec

from src.errors import one_line
from src.programs.parsing.resolution import named_by_label
from src.programs.records import ClaimTrace, ProgramTrace, StepEvidence, StepTrace
from src.programs.whole_claim import verifies_whole


class Node(msgspec.Struct, frozen=True):
    """A node of the tree: the text of a step and the sentences that it was answered from."""

    title: str
    decisive: bool = False
    evidence: tuple[StepEvidence, ...] = ()
    below: "tuple[Node, ...]" = ()

    @property
    def details(self) -> tuple[str, ...]:
        """Return the evidence, one text for each sentence."""
        return tuple(f"{one.sentence} ({one.url})" if one.url else one.sentence for one in self.evidence)


class DrawnProgram(msgspec.Struct, frozen=True):
    """The tree of a program. `said` holds its diagnostics: repairs, and reasons for unknown values."""

    name: str
    root: Node
    said: tuple[str, ...] = ()


class DrawnClaim(msgspec.Struct, frozen=True):
    """The trees of a claim. `title` is the claim with its number, `vote` the value of its programs."""

    title: str
    vote: str
    programs: tuple[DrawnProgram, ...]


def drawn(trace: ClaimTrace, failed: str = "") -> DrawnClaim:
    """Return the trees of a claim; `failed` is the reason why the claim has no complete result."""
    vote = _vote(trace)
    if failed:
        vote = f"{vote}; failed: {one_line(failed)}"
    programs = tuple(
        DrawnProgram(_name(number, program, trace.claim), tree(program), _said(program))
        for number, program in enumerate(trace.programs, start=1)
    )
    return DrawnClaim(f"[{trace.claim_id}] {one_line(trace.claim)}", vote, programs)


def _vote(trace: ClaimTrace) -> str:
    several = len(trace.programs) > 1
    return f"{trace.value} by {trace.vote_share:.0%} of {len(trace.programs)} programs" if several else str(trace.value)


def _name(number: int, program: ProgramTrace, claim: str) -> str:
    return f"program {number}" + (", the claim as a whole" if verifies_whole(program, claim) else "")


def _said(program: ProgramTrace) -> tuple[str, ...]:
    found = sorted(program.diagnostics, key=lambda one: one.line)
    return tuple(f"line {one.line}, {one.kind}: {one_line(one.message)}" for one in found)


def tree(trace: ProgramTrace) -> Node:
    """Return the tree of a program, with the label as its root.

    Steps that the label does not depend on come after the steps that it names.
    """
    title = f"{trace.value}: Predict({trace.label})" if trace.label is not None else f"{trace.value}: no label"
    drawn: set[int] = set()
    named = [_node(trace, place, drawn) for place in named_by_label(trace)]
    others = [_node(trace, place, drawn) for place in range(len(trace.steps)) if place not in drawn]
    return Node(one_line(title), below=(*named, *others))


def _node(trace: ProgramTrace, place: int, drawn: set[int]) -> Node:
    """Return the node of a step. The steps that it uses are below it at its first occurrence only."""
    step = trace.steps[place]
    if place in drawn:
        return Node(f"{_title(step)} (see above)", step.decisive)
    drawn.add(place)
    below = tuple(_node(trace, one, drawn) for one in step.uses if 0 <= one < len(trace.steps))
    evidence = (StepEvidence(one_line(one.sentence), one_line(one.url), one.score) for one in step.evidence)
    return Node(_title(step), step.decisive, tuple(evidence), below)


def _title(step: StepTrace) -> str:
    name = f"{step.variable} = " if step.variable else ""
    return one_line(f"{name}{step.function}({step.text}) -> {'no answer' if step.value is None else step.value}")
