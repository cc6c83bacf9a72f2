"""Error classes chosen by people, for ProgramFC's Table 2: the annotators' view, their file, and their agreement.

The sample has equally many wrong predictions of each number of hops (the paper: 100 each). The file is JSON lines; if
an annotator has several lines for a program, the last one counts:

{"annotator": "ann", "claim_id": 4, "program": 0, "shown": "9f86d081884c7d65", "class": "structure", "note": "",
 "seconds": 41.5}

If annotators of a program differ, each of their classes gets an equal share: with two annotators, one half.
"""

import hashlib
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import combinations
from pathlib import Path

import msgspec

from src.annotating.annotator import Seconds
from src.claims import LabelledClaim
from src.errors import InputError
from src.evaluation.agreement import cohen_kappa
from src.programs.records import ClaimTrace, StepTrace, TwoLabel
from src.programs.scoring.error_classes import ALL, ErrorClass, by_hops, deciding, error_class
from src.records import ClaimId, NonBlank, Sentence
from src.store import located

ProgramId = tuple[int, int]
"""Id of a program: the claim_id, and the 0-based place of the program among the claim's programs."""


class Classification(msgspec.Struct, frozen=True):
    """The class that an annotator chose for a program: a line of the file.

    `program`: 0-based place of the program among the claim's programs
    `shown`: hash of what the annotator saw
    `error_class`: the class
    `note`: the annotator's reason
    `seconds`: time that the annotator took
    """

    annotator: NonBlank
    claim_id: ClaimId
    program: ClaimId
    shown: str
    error_class: ErrorClass = msgspec.field(name="class")
    note: str = ""
    seconds: Seconds = 0.0

    @property
    def of(self) -> ProgramId:
        return self.claim_id, self.program

    @property
    def key(self) -> tuple[str, ProgramId]:
        return self.annotator, self.of


def read_classifications(data: bytes, path: Path, hashes: Mapping[ProgramId, str]) -> list[Classification]:
    """Return the last line of each annotator and program; the order is that of their first lines.

    `hashes` are the current hashes of programs. Raises InputError (file, line, field) when a line cannot be read, or
    when a program has another hash.
    """
    known = dict(hashes)
    found: dict[tuple[str, ProgramId], Classification] = {}
    for line, one in located(data, Classification, path):
        if known.setdefault(one.of, one.shown) != one.shown:
            changed = f"program {one.program} of claim {one.claim_id} has changed since {one.annotator} classified it"
            raise InputError(f"{changed}; name another file, or remove such lines", path=path, line=line, field="shown")
        found[one.key] = one
    return list(found.values())


class ShownStep(msgspec.Struct, frozen=True):
    """A step as annotators see it.

    `call`: its function and text, with variables filled in
    `value`: its answer, or `no answer`
    `evidence`: the passages from which it was answered
    """

    call: str
    value: str
    evidence: list[str]


class Shown(msgspec.Struct, frozen=True, dict=True):
    """A wrong prediction as annotators see it.

    `program`: 0-based place of the program among the claim's programs
    `right`, `predicted`: the gold label and the predicted one
    `value`: value of the program
    `label`: the argument of Predict
    `said`: messages of the program's diagnostics
    `gold`: the gold evidence, or the titles of its pages if the file of claims has no texts
    `written`: the program's text as it was generated, or "" if it is unknown
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
        """Return the hash of what the annotator sees, without `written`, which may be unknown when classes are read."""
        shown = msgspec.json.encode(msgspec.structs.replace(self, written=""))
        return hashlib.sha256(shown).hexdigest()[:16]


def shown(gold: LabelledClaim, trace: ClaimTrace, place: int, written: str = "") -> Shown:
    """Return a wrong prediction as annotators see it; `place` is the program's place among the claim's."""
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


def sample_errors(
    golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], per_hop: int, seed: int,
    written: Mapping[ProgramId, str],
) -> list[Shown]:  # fmt: skip
    """Return `per_hop` wrong predictions for each number of hops, or all if there are fewer, sorted by claim_id.

    Claims without programs are left out. Claims without hops are one group. Traces must be in the order of the claims.
    `written` has the programs' texts.
    """
    groups = by_hops(golds)
    if len(groups) > 1:
        del groups[ALL]
    found: list[Shown] = []
    for name, places in groups.items():
        wrong = [one for at in places for one in wrong_of(golds[at], traces[at], written)]
        found += random.Random(f"{seed} {name}").sample(wrong, min(per_hop, len(wrong)))
    return sorted(found, key=lambda one: one.claim_id)


def wrong_of(gold: LabelledClaim, trace: ClaimTrace, written: Mapping[ProgramId, str]) -> list[Shown]:
    """Return a one-item list with the first program that voted for the claim's value.

    The list is empty if the predicted label is right, or if the claim has no programs.
    """
    place = deciding(trace)
    if place is None or TwoLabel.of(trace.value) is TwoLabel.of(gold.value):
        return []
    return [shown(gold, trace, place, written.get((trace.claim_id, place), ""))]


BY_RULE = "(by rule)"  # in place of an annotator's name


class JudgedGroup(msgspec.Struct, frozen=True):
    """The classes that people chose in a group of claims.

    `programs`: number of annotated programs
    `by_two`: number of programs with two or more annotators
    `shares`: share of each class
    """

    programs: int
    by_two: int
    shares: dict[ErrorClass, float]


class Pair(msgspec.Struct, frozen=True):
    """The agreement of two annotators on the programs that both classified.

    `programs`: number of these programs
    `same`: share of equal classes
    `kappa`: Cohen's kappa; None if it is undefined
    """

    annotators: list[str]
    programs: int
    same: float
    kappa: float | None


class People(msgspec.Struct, frozen=True):
    """Error classes that people chose.

    `file`: path of the file of classes
    `groups`: classes of each group of claims, by the group's name; without empty groups
    `pairs`: agreement of each two annotators, and of each annotator with the rules
    `elsewhere`: number of classes for programs that are not wrong predictions of this trace
    """

    file: str
    annotators: list[str]
    groups: dict[str, JudgedGroup]
    pairs: list[Pair]
    elsewhere: int


Classes = Mapping[ProgramId, ErrorClass]


def people(
    golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], classed: Sequence[Classification], file: Path
) -> People:
    """Return the classes that people chose for the wrong predictions of a trace: per group, and their agreement.

    `classed` are the lines of the file of classes. Traces must be in the order of the claims.
    """
    rule = by_rule(golds, traces)
    here = [one for one in classed if one.of in rule]
    groups: dict[str, JudgedGroup] = {}
    for name, places in by_hops(golds).items():
        ids = {golds[at].claim_id for at in places}
        if own := [one for one in here if one.claim_id in ids]:
            groups[name] = _judged(own)
    pairs = agreement({**by_annotator(here), BY_RULE: rule} if here else {})
    return People(str(file), list(by_annotator(here)), groups, pairs, len(classed) - len(here))


def by_rule(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> dict[ProgramId, ErrorClass]:
    """Return the class of each wrong prediction by the rules of `error_class`."""
    found: dict[ProgramId, ErrorClass] = {}
    for gold, trace in zip(golds, traces, strict=True):
        named = error_class(gold, trace)
        found |= {one.of: named for one in wrong_of(gold, trace, {}) if named is not None}
    return found


def hashes(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> dict[ProgramId, str]:
    """Return the hash of each wrong prediction, with which `read_classifications` compares the hashes in the file."""
    pairs = zip(golds, traces, strict=True)
    return {one.of: one.hash for gold, trace in pairs for one in wrong_of(gold, trace, {})}


def by_annotator(classed: Sequence[Classification]) -> dict[str, dict[ProgramId, ErrorClass]]:
    """Return the classes that each annotator chose, sorted by annotator."""
    found: dict[str, dict[ProgramId, ErrorClass]] = {name: {} for name in sorted({one.annotator for one in classed})}
    for one in classed:
        found[one.annotator][one.of] = one.error_class
    return found


def agreement(sides: Mapping[str, Classes]) -> list[Pair]:
    """Return the agreement of each two annotators, also if they have no program in common.

    `sides` maps each annotator (or `BY_RULE`) to the classes chosen.
    """
    found = []
    for first, second in combinations(sides, 2):
        shared = [one for one in sides[first] if one in sides[second]]
        said = [[sides[name][one].value for one in shared] for name in (first, second)]
        same = sum(one == other for one, other in zip(*said, strict=True)) / max(1, len(shared))
        found.append(Pair([first, second], len(shared), same, cohen_kappa(*said)))
    return found


def _judged(classed: Sequence[Classification]) -> JudgedGroup:
    programs: dict[ProgramId, list[ErrorClass]] = defaultdict(list)
    for one in classed:
        programs[one.of].append(one.error_class)
    parts = {kind: sum(said.count(kind) / len(said) for said in programs.values()) for kind in ErrorClass}
    by_two = sum(len(said) > 1 for said in programs.values())
    return JudgedGroup(len(programs), by_two, {kind: part / len(programs) for kind, part in parts.items()})
