"""Scores of a checker on planted errors (recall) and on clean explanations (false alarms)."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.checks.checker import Checker
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.synthetic_errors.recall import KindRecall, Share, recall, share
from src.explanation.synthetic_errors.records import PlantedClaim
from src.text import sentences


class FalseAlarms(msgspec.Struct, frozen=True):
    """False alarms in the clean explanations `name`: explanations and sentences with a finding, and counts by type."""

    name: str
    explanations: Share
    sentences: Share
    types: dict[str, int]


class Scores(msgspec.Struct, frozen=True):
    """Scores of a checker; `a_minute` is the number of checked explanations per minute, without loading time."""

    recall: list[KindRecall]
    clean: list[FalseAlarms]
    a_minute: float


def scores(planted: Sequence[PlantedClaim], clean: Mapping[str, Path], by: Checker, seed: int) -> Scores:
    """Return the scores of a checker; `clean` are files of explanations by name.

    Raises: InputError if a file has no explanation.
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
    found = by.check(claims)
    said = [(claim.claim_id, at) for claim in claims for at in range(len(sentences(claim.explanation or "")))]
    flagged = {(one.claim_id, one.sentence) for each in found for one in each}
    ids = [claim.claim_id for claim in claims]
    types = Counter(one.type.value for each in found for one in each)
    return FalseAlarms(
        name,
        share(list(map(bool, found)), ids, seed),
        share([one in flagged for one in said], [claim_id for claim_id, _ in said], seed),
        dict(types.most_common()),
    )
