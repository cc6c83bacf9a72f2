"""Error classes chosen by people, for ProgramFC's Table 2: what annotators see, their file, and their agreement.

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

    `program`: index (from 0) of the program among the claim's programs.
    `shown`: hash of what the annotator saw.
    `error_class`: the class.
    `note`: the annotator's reason.
    `seconds`: time that the annotator took.
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
    """Return the class that each annotator chose last for each program.

    The order is that in which annotator and program first occur. `data` are the bytes of the file, `path` is for
    messages. `hashes` maps program ids to the hash of what is shown of the program now; of other programs all lines
    must have one hash. Raises InputError (file, line, field) when a line cannot be read, or when its hash differs.
    """
    known = dict(hashes)
    latest: dict[tuple[str, ProgramId], Classification] = {}
    for line, one in located(data, Classification, path):
        if known.setdefault(one.of, one.shown) != one.shown:
            changed = f"program {one.program} of claim {one.claim_id} has changed since {one.annotator} classified it"
            raise InputError(f"{changed}; name another file, or remove such lines", path=path, line=line, field="shown")
        latest[one.key] = one
    return list(latest.values())


class ShownStep(msgspec.Struct, frozen=True):
    """A step of a program as annotators see it.

    `call`: its function and text, with variables filled in.
    `value`: its answer, or `no answer`.
    `evidence`: the passages from which it was answered.
    """

    call: str
    value: str
    evidence: list[str]


class Shown(msgspec.Struct, frozen=True, dict=True):
    """A wrong prediction as annotators see it, with the program that is to be classified.

    `program`: index (from 0) of the program among the claim's programs.
    `right`, `predicted`: the gold label and the predicted one.
    `value`: value of the program.
    `label`: the call of Predict, which combines the steps.
    `diagnostics`: messages of the program's diagnostics.
    `gold`: the gold evidence, or the titles of its pages if the file of claims has no texts.
    `written`: the program's text as it was generated, or "" if it is unknown.
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
    diagnostics: list[str] = msgspec.field(name="said")
    gold: list[str]
    written: str = ""

    @property
    def of(self) -> ProgramId:
        return self.claim_id, self.program

    @cached_property
    def hash(self) -> str:
        """Return a hash of what the annotator sees: the first 16 hex digits of SHA-256.

        `written` is left out, because it may be unknown when classes are read.
        """
        shown = msgspec.json.encode(msgspec.structs.replace(self, written=""))
        return hashlib.sha256(shown).hexdigest()[:16]


def shown(gold: LabelledClaim, trace: ClaimTrace, place: int, written: str = "") -> Shown:
    """Return a wrong prediction as annotators see it.

    `place` is the index (from 0) of the program in the trace, `written` the program's text as it was generated.
    """
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
        diagnostics=[f"line {one.line}, {one.kind}: {one.message}" for one in program.diagnostics],
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
    """Return a random sample of wrong predictions, sorted by claim_id.

    For each number of hops, `per_hop` wrong predictions are drawn with `seed`; all of them if there are fewer. Claims
    without hops are one group. Claims without programs are left out. `traces[n]` must be the trace of `golds[n]`.
    `written` maps program ids to the programs' texts.
    """
    groups = by_hops(golds)
    if len(groups) > 1:
        del groups[ALL]
    sampled: list[Shown] = []
    for name, places in groups.items():
        wrong = [one for at in places for one in wrong_of(golds[at], traces[at], written)]
        sampled += random.Random(f"{seed} {name}").sample(wrong, min(per_hop, len(wrong)))
    return sorted(sampled, key=lambda one: one.claim_id)


def wrong_of(gold: LabelledClaim, trace: ClaimTrace, written: Mapping[ProgramId, str]) -> list[Shown]:
    """Return the wrong prediction of a claim as annotators see it, in a list of one item.

    The program shown is the first one that voted for the claim's value. The list is empty if the predicted label is
    right, or if the claim has no programs. `written` maps program ids to the programs' texts.
    """
    place = deciding(trace)
    if place is None or TwoLabel.of(trace.value) is TwoLabel.of(gold.value):
        return []
    return [shown(gold, trace, place, written.get((trace.claim_id, place), ""))]


BY_RULE = "(by rule)"  # in place of an annotator's name


class JudgedGroup(msgspec.Struct, frozen=True):
    """The classes that people chose in a group of claims.

    `programs`: number of annotated programs.
    `by_two`: number of programs with two or more annotators.
    `shares`: share of each class, 0 to 1; if annotators differ, a program is divided evenly among their classes.
    """

    programs: int
    by_two: int
    shares: dict[ErrorClass, float]


class Pair(msgspec.Struct, frozen=True):
    """The agreement of two annotators on the programs that both classified.

    `programs`: number of these programs.
    `same`: share of these programs that both put in the same class, 0 to 1.
    `kappa`: Cohen's kappa; None if it is undefined.
    """

    annotators: list[str]
    programs: int
    same: float
    kappa: float | None


class People(msgspec.Struct, frozen=True):
    """The error classes that people chose for the wrong predictions of one file of traces.

    `file`: path of the file of classes.
    `groups`: classes of each group of claims, by the group's name; without empty groups.
    `pairs`: agreement of each two annotators, and of each annotator with the rules.
    `elsewhere`: number of classes for programs that are not wrong predictions of these traces.
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
    """Return the classes that people chose for wrong predictions: per group of claims, and their agreement.

    `traces[n]` must be the trace of `golds[n]`. `classed` are the lines of the file of classes, `file` is its path.
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
    """Return the class of each wrong prediction by the rules of `error_class`; the keys are program ids."""
    classes: dict[ProgramId, ErrorClass] = {}
    for gold, trace in zip(golds, traces, strict=True):
        named = error_class(gold, trace)
        classes |= {one.of: named for one in wrong_of(gold, trace, {}) if named is not None}
    return classes


def hashes(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> dict[ProgramId, str]:
    """Return the hash of what is shown of each wrong prediction, by program id.

    `read_classifications` compares the hashes in the file of classes with these.
    """
    pairs = zip(golds, traces, strict=True)
    return {one.of: one.hash for gold, trace in pairs for one in wrong_of(gold, trace, {})}


def by_annotator(classed: Sequence[Classification]) -> dict[str, dict[ProgramId, ErrorClass]]:
    """Return for each annotator, sorted by name, the chosen class of each program."""
    classes: dict[str, dict[ProgramId, ErrorClass]] = {name: {} for name in sorted({one.annotator for one in classed})}
    for one in classed:
        classes[one.annotator][one.of] = one.error_class
    return classes


def agreement(sides: Mapping[str, Classes]) -> list[Pair]:
    """Return the agreement of each two annotators, also of those without a program in common.

    `sides` maps each annotator (or `BY_RULE`) to the chosen class of each program.
    """
    pairs = []
    for first, second in combinations(sides, 2):
        shared = [one for one in sides[first] if one in sides[second]]
        labels = [[sides[name][one].value for one in shared] for name in (first, second)]
        same = sum(one == other for one, other in zip(*labels, strict=True)) / max(1, len(shared))
        pairs.append(Pair([first, second], len(shared), same, cohen_kappa(*labels)))
    return pairs


def _judged(classed: Sequence[Classification]) -> JudgedGroup:
    programs: dict[ProgramId, list[ErrorClass]] = defaultdict(list)
    for one in classed:
        programs[one.of].append(one.error_class)
    parts = {kind: sum(classes.count(kind) / len(classes) for classes in programs.values()) for kind in ErrorClass}
    by_two = sum(len(classes) > 1 for classes in programs.values())
    return JudgedGroup(len(programs), by_two, {kind: part / len(programs) for kind, part in parts.items()})
