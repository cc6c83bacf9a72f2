"""Display of a wrong prediction for annotators: claim, both labels, program with its values, and evidence."""

import hashlib
from functools import cached_property

import msgspec

from src.claims.labelled import LabelledClaim
from src.programs.annotation.classes import ProgramId
from src.programs.records import ClaimTrace, StepTrace, TwoLabel
from src.records import ClaimId, Sentence


class ShownStep(msgspec.Struct, frozen=True):
    """A step as shown. `call` has its variables filled in; `value` is its answer, or `no answer`."""

    call: str
    value: str
    evidence: list[str]


class Shown(msgspec.Struct, frozen=True, dict=True):
    """A wrong prediction as shown.

    `label` is the argument of Predict, `said` the diagnostics, and `written` the program's text, if it is known. `gold`
    is the gold evidence, or the titles of its pages if the file of claims has no texts.
    """

    claim_id: ClaimId
    program: int
    hops: int | None
    claim: str
    right: TwoLabel
    predicted: TwoLabel
    value: str
    steps: list[ShownStep]
    label: str
    said: list[str]
    gold: list[str]
    written: str = ""

    @property
    def of(self) -> ProgramId:
        return self.claim_id, self.program

    @cached_property
    def hash(self) -> str:
        """Return the hash of everything except `written`, which may be unknown when classes are read."""
        shown = msgspec.json.encode(msgspec.structs.replace(self, written=""))
        return hashlib.sha256(shown).hexdigest()[:16]


def shown(gold: LabelledClaim, trace: ClaimTrace, place: int, written: str = "") -> Shown:
    """Return the prediction as shown; `place` is the place of the program among the claim's."""
    program = trace.programs[place]
    return Shown(
        claim_id=trace.claim_id,
        program=place,
        hops=gold.hops,
        claim=gold.claim,
        right=TwoLabel.of(gold.value),
        predicted=TwoLabel.of(trace.value),
        value=program.value,
        steps=[_step(one) for one in program.steps],
        label="no label could be read" if program.label is None else f"Predict({program.label})",
        said=[f"line {one.line}, {one.kind}: {one.message}" for one in program.diagnostics],
        gold=[_text(one) for one in gold.gold] or list(gold.titles),
        written=written,
    )


def _step(step: StepTrace) -> ShownStep:
    name = f"{step.variable} = " if step.variable else ""
    value = "no answer" if step.value is None else step.value
    evidence = [_text(Sentence(one.sentence, one.url)) for one in step.evidence]
    return ShownStep(f"{name}{step.function}({step.text})", value, evidence)


def _text(one: Sentence) -> str:
    return f"{one.url}: {one.sentence}" if one.url else one.sentence
