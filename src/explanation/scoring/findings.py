"""Findings of the checks in explanations of several methods on the same claims, with paired differences.

For refined explanations, the findings in their drafts are included; a claim without a debate is its own draft.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec
import numpy as np

from src.evaluation.bootstrap import Figure, Floats, Statistic, figures, mean_of
from src.explanation.checks.checker import Checker
from src.explanation.records import ExplainedClaim, Finding
from src.explanation.scoring.records import Checked, CheckedClaim, Findings, Rates
from src.explanation.typology import MADR_TYPES
from src.text import sentences


def findings(methods: Sequence[Sequence[ExplainedClaim]], checker: Checker, seed: int) -> list[Findings]:
    """Return the findings of each method; the claims of all methods are in the same order."""
    checked = [_checked(claims, checker) for claims in methods]
    rates = _rates([[one.explanation for one in claims] for claims in checked], seed)
    return [_findings(*one, seed) for one in zip(methods, checked, rates, strict=True)]


def _findings(claims: Sequence[ExplainedClaim], checked: list[CheckedClaim], rates: Rates, seed: int) -> Findings:
    after = [one.explanation for one in checked]
    drafts = [one.draft or one.explanation for one in checked]
    refined = any(one.draft is not None for one in checked)
    before, both = _rates([drafts, after], seed) if refined else (None, None)
    types = Counter(kind for one in after for kind in one.types)
    return Findings(
        sentences=sum(one.sentences for one in after),
        words=sum(len((claim.explanation or "").split()) for claim in claims) / len(claims),
        rates=rates,
        by_type={kind: types[kind] for kind in MADR_TYPES},
        claims=checked,
        before=before,
        refined=both,
    )


def _checked(claims: Sequence[ExplainedClaim], checker: Checker) -> list[CheckedClaim]:
    drafted = [claim for claim in claims if claim.debate is not None and claim.debate.draft.strip()]
    drafts = [msgspec.structs.replace(one, explanation=one.debate.draft) for one in drafted if one.debate is not None]
    found = _of_texts([*claims, *drafts], checker)
    before = {one.claim_id: draft for one, draft in zip(drafts, found[len(claims) :], strict=True)}
    pairs = zip(claims, found, strict=False)
    return [CheckedClaim(claim.claim_id, after, before.get(claim.claim_id)) for claim, after in pairs]


def _of_texts(claims: Sequence[ExplainedClaim], checker: Checker) -> list[Checked]:
    return [_of_text(*one) for one in zip(claims, checker.check(claims), strict=True)]


def _of_text(claim: ExplainedClaim, found: Sequence[Finding]) -> Checked:
    flagged = len({one.sentence for one in found})
    return Checked(len(sentences(claim.explanation or "")), flagged, [one.type for one in found])


def _rates(methods: Sequence[Sequence[Checked]], seed: int) -> list[Rates]:
    """Return the rates of each method, paired with those of the first."""
    counts = [np.array([float(len(one.types)) for one in claims]) for claims in methods]
    size = len(counts[0])
    lengths = [np.array([float(one.sentences) for one in claims]) for claims in methods]
    columns: list[list[Figure]] = [
        figures([mean_of(one) for one in counts], size, seed),
        figures([_ratio(*one) for one in zip(counts, lengths, strict=True)], size, seed),
        figures([mean_of((one == 0).astype(float)) for one in counts], size, seed),
    ]
    return [Rates(*one) for one in zip(*columns, strict=True)]


def _ratio(top: Floats, bottom: Floats) -> Statistic:
    """Return the ratio of two sums over claims; both arguments have the shape [claims]."""
    return lambda counts: (top @ counts) / (bottom @ counts)
