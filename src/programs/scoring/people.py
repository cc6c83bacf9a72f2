"""Error classes by people for ProgramFC's Table 2, and their agreement.

If annotators of a program differ, each of their classes gets an equal share: with two annotators, one half.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path

import msgspec

from src.claims.labelled import LabelledClaim
from src.evaluation.agreement import cohen_kappa
from src.programs.annotation.classes import Classed, ProgramId
from src.programs.annotation.drawing import wrong_of
from src.programs.records import ClaimTrace
from src.programs.scoring.error_classes import ErrorClass, error_class
from src.programs.scoring.groups import by_hops

BY_RULE = "(by rule)"  # in place of an annotator's name


class Judged(msgspec.Struct, frozen=True):
    """The number of annotated programs of a group, of those with two or more annotators, and the share of each
    class."""

    programs: int
    by_two: int
    shares: dict[ErrorClass, float]


class Pair(msgspec.Struct, frozen=True):
    """The agreement of two annotators over the programs that both classified: share of equal classes, and Cohen's
    kappa."""

    annotators: list[str]
    programs: int
    same: float
    kappa: float | None


class People(msgspec.Struct, frozen=True):
    """Error classes by people.

    `groups` are by name, without empty ones. `elsewhere` counts classes of programs that are not wrong predictions
    here.
    """

    file: str
    annotators: list[str]
    groups: dict[str, Judged]
    pairs: list[Pair]
    elsewhere: int


Classes = Mapping[ProgramId, ErrorClass]


def people(
    golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], classed: Sequence[Classed], file: Path
) -> People:
    """Return the classes by people; `traces` must be in the order of the claims."""
    rule = by_rule(golds, traces)
    here = [one for one in classed if one.of in rule]
    groups: dict[str, Judged] = {}
    for name, places in by_hops(golds).items():
        ids = {golds[at].claim_id for at in places}
        if own := [one for one in here if one.claim_id in ids]:
            groups[name] = _judged(own)
    pairs = agreement({**by_annotator(here), BY_RULE: rule} if here else {})
    return People(str(file), list(by_annotator(here)), groups, pairs, len(classed) - len(here))


def by_rule(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> dict[ProgramId, ErrorClass]:
    """Return the automatic class of each wrong prediction."""
    found: dict[ProgramId, ErrorClass] = {}
    for gold, trace in zip(golds, traces, strict=True):
        named = error_class(gold, trace)
        found |= {one.of: named for one in wrong_of(gold, trace, {}) if named is not None}
    return found


def hashes(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> dict[ProgramId, str]:
    """Return the hashes of the wrong predictions, which `read_classed` compares with those in its file."""
    pairs = zip(golds, traces, strict=True)
    return {one.of: one.hash for gold, trace in pairs for one in wrong_of(gold, trace, {})}


def by_annotator(classed: Sequence[Classed]) -> dict[str, dict[ProgramId, ErrorClass]]:
    """Return the classes of each annotator, with names sorted."""
    found: dict[str, dict[ProgramId, ErrorClass]] = {name: {} for name in sorted({one.annotator for one in classed})}
    for one in classed:
        found[one.annotator][one.of] = one.error_class
    return found


def agreement(sides: Mapping[str, Classes]) -> list[Pair]:
    """Return the agreement of every two sides, also of those without a common program."""
    found = []
    for first, second in combinations(sides, 2):
        shared = [one for one in sides[first] if one in sides[second]]
        said = [[sides[name][one].value for one in shared] for name in (first, second)]
        same = sum(one == other for one, other in zip(*said, strict=True)) / max(1, len(shared))
        found.append(Pair([first, second], len(shared), same, cohen_kappa(*said)))
    return found


def _judged(classed: Sequence[Classed]) -> Judged:
    programs: dict[ProgramId, list[ErrorClass]] = defaultdict(list)
    for one in classed:
        programs[one.of].append(one.error_class)
    parts = {kind: sum(said.count(kind) / len(said) for said in programs.values()) for kind in ErrorClass}
    by_two = sum(len(said) > 1 for said in programs.values())
    return Judged(len(programs), by_two, {kind: part / len(programs) for kind, part in parts.items()})
