"""Scores of a checker: recall of planted errors, and false alarms on clean explanations.

A twin is the same text without the planted error. An error is found if its sentence has a finding of its type that the
twin's sentence does not have.
"""

import re
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec
import numpy as np

from src.errors import InputError
from src.evaluation.bootstrap import figures
from src.explanation.checks.checker import Checker
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.synthetic_errors.records import Kind, PlantedClaim
from src.text import sentences


class Share(msgspec.Struct, frozen=True):
    """Share of `n` cases, with the ends of its 95 % interval by bootstrap over claims."""

    n: int
    share: float
    low: float
    high: float


class KindRecall(msgspec.Struct, frozen=True):
    """Recall of one kind of error, over the texts in which such an error was planted.

    A finding is new if it is in the sentence with the error, and the original text does not have that finding.

    `of_type`: share with a new finding of the planted type.
    `there`: share with a new finding of the planted type whose words overlap the planted ones.
    `of_any`: share with a new finding of any type.
    """

    kind: Kind
    of_type: Share
    there: Share
    of_any: Share


def recall(planted: Sequence[PlantedClaim], checker: Checker, seed: int = 0) -> list[KindRecall]:
    """Return the recall of each kind of error, in the order of `Kind`; kinds that no text has are left out."""
    twins = twins_of(planted)
    of_twins = dict(zip(twins, checker.check(list(twins.values())), strict=True))
    of_copies = checker.check([as_explained(one, one.explanation) for one in planted])
    new = [_new(one, findings, of_twins[one.of]) for one, findings in zip(planted, of_copies, strict=True)]
    table = []
    for kind in Kind:
        places = [at for at, one in enumerate(planted) if one.planted.kind is kind]
        if places:
            table.append(_of_kind(kind, [(planted[at], new[at]) for at in places], seed))
    return table


def _of_kind(kind: Kind, copies: Sequence[tuple[PlantedClaim, Sequence[Finding]]], seed: int) -> KindRecall:
    claims = [one.of for one, _ in copies]
    typed = [[its for its in new if its.type is kind.type] for _, new in copies]
    there = [any(_is_there(one, its) for its in of_type) for (one, _), of_type in zip(copies, typed, strict=True)]
    shares = (share(hits, claims, seed) for hits in (list(map(bool, typed)), there, [bool(new) for _, new in copies]))
    return KindRecall(kind, *shares)


def share(hits: Sequence[bool], claims: Sequence[int], seed: int) -> Share:
    """Return the share of hits with its interval; the bootstrap draws all cases of a claim together.

    `claims` has the claim_id of each case.
    Raises ValueError if there are no cases.
    """
    groups: Mapping[int, list[bool]] = {claim: [] for claim in claims}
    for hit, claim in zip(hits, claims, strict=True):
        groups[claim].append(hit)
    hit, of = np.array([[sum(group), len(group)] for group in groups.values()], dtype=float).T
    (figure,) = figures([lambda counts: (hit @ counts) / (of @ counts)], len(groups), seed)
    return Share(len(hits), figure.value, *figure.interval)


def twins_of(planted: Sequence[PlantedClaim]) -> dict[int, ExplainedClaim]:
    """Return the explanations without an error (twins), by the claim_id of the clean explanation."""
    return {one.of: as_explained(one, one.twin) for one in planted}


def as_explained(planted: PlantedClaim, text: str) -> ExplainedClaim:
    return ExplainedClaim(
        planted.claim_id,
        planted.claim,
        planted.label,
        planted.evidence,
        planted.source,
        planted.claim_date,
        planted.speaker,
        text,
    )


def _is_there(planted: PlantedClaim, finding: Finding) -> bool:
    """Return True if the finding's words overlap the planted words, wherever they are in the sentence.

    If words were removed, the words on both sides count as planted.
    """
    texts = sentences(planted.explanation)
    at = planted.planted.sentence
    begins = sum(len(one) + 1 for one in texts[:at])
    first, slack = planted.planted.start - begins, 0 if planted.planted.span else 2
    last = first + len(planted.planted.span)
    spans = (match.span() for match in re.finditer(re.escape(finding.span), texts[at]))
    return any(start < last + slack and end > first - slack for start, end in spans)


def _new(planted: PlantedClaim, findings: Sequence[Finding], of_twin: Sequence[Finding]) -> list[Finding]:
    """Return the findings in the changed sentence that the twin's sentence does not have.

    An inserted sentence has no counterpart in the twin, so all its findings are new.
    """
    at = planted.planted.sentence
    is_whole = len(sentences(planted.explanation)) > len(sentences(planted.twin))
    known = set() if is_whole else {(one.type, one.span) for one in of_twin if one.sentence == at}
    return [one for one in findings if one.sentence == at and (one.type, one.span) not in known]


class FalseAlarms(msgspec.Struct, frozen=True):
    """False alarms in one file of clean explanations.

    `name`: name of the file.
    `explanations`: share of explanations with a finding.
    `sentences`: share of sentences with a finding.
    `types`: number of findings by type.
    """

    name: str
    explanations: Share
    sentences: Share
    types: dict[str, int]


class Scores(msgspec.Struct, frozen=True):
    """Scores of a checker.

    `recall`: recall of each kind of error.
    `clean`: false alarms in each file of clean explanations.
    `a_minute`: checked explanations per minute, without the time to load models.
    """

    recall: list[KindRecall]
    clean: list[FalseAlarms]
    a_minute: float


def scores(planted: Sequence[PlantedClaim], clean: Mapping[str, Path], by: Checker, seed: int) -> Scores:
    """Return the scores of a checker; `clean` has files of clean explanations by name.

    Raises InputError if a file has no explanation.
    """
    began = time.perf_counter()
    by_kind = recall(planted, by, seed)
    alarms = [_alarms(name, path, by, seed) for name, path in clean.items()]
    checked = len(planted) + len({one.of for one in planted}) + sum(one.explanations.n for one in alarms)
    return Scores(by_kind, alarms, 60 * checked / (time.perf_counter() - began))


def _alarms(name: str, path: Path, by: Checker, seed: int) -> FalseAlarms:
    claims = [one for one in read_claims_to_explain(path) if one.explanation]
    if not claims:
        raise InputError("holds no explanation", path=path)
    findings = by.check(claims)
    all_sentences = [(claim.claim_id, at) for claim in claims for at in range(len(sentences(claim.explanation or "")))]
    flagged = {(one.claim_id, one.sentence) for each in findings for one in each}
    ids = [claim.claim_id for claim in claims]
    types = Counter(one.type.value for each in findings for one in each)
    return FalseAlarms(
        name,
        share(list(map(bool, findings)), ids, seed),
        share([one in flagged for one in all_sentences], [claim_id for claim_id, _ in all_sentences], seed),
        dict(types.most_common()),
    )
