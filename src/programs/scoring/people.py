"""Classes of wrong predictions as people see them, for ProgramFC's Table 2, and how far they agree.

Where annotators of a program differ, each of their classes has its part: with two annotators, one half.
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

BY_RULE = "(by rule)"  # no annotator's name


class Judged(msgspec.Struct, frozen=True):
    """A group's programs that anyone classed, those of them that two or more did, and the share of each class."""

    programs: int
    by_two: int
    shares: dict[ErrorClass, float]


class Pair(msgspec.Struct, frozen=True):
    """Two annotators over the programs that both classed: the share of equal classes, and Cohen's kappa."""

    annotators: list[str]
    programs: int
    same: float
    kappa: float | None


class People(msgspec.Struct, frozen=True):
    """`groups` by name, empty ones left out; `elsewhere` counts classes of what is no wrong prediction here."""

    file: str
    annotators: list[str]
    groups: dict[str, Judged]
    pairs: list[Pair]
    elsewhere: int


Classes = Mapping[ProgramId, ErrorClass]


def people(
    golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], classed: Sequence[Classed], file: Path
) -> People:
    """Traces stand in the order of the claims."""
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
    """Return what `read_classed` holds classes of these traces against."""
    pairs = zip(golds, traces, strict=True)
    return {one.of: one.hash for gold, trace in pairs for one in wrong_of(gold, trace, {})}


def by_annotator(classed: Sequence[Classed]) -> dict[str, dict[ProgramId, ErrorClass]]:
    """Return each annotator's classes, the names sorted."""
    found: dict[str, dict[ProgramId, ErrorClass]] = {name: {} for name in sorted({one.annotator for one in classed})}
    for one in classed:
        found[one.annotator][one.of] = one.error_class
    return found


def agreement(sides: Mapping[str, Classes]) -> list[Pair]:
    """Return each two sides that classed a program in common, or none where they have none."""
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
