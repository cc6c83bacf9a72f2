"""Recall at k: the share of a claim's gold pages that its steps have found.

The hits of all steps of all programs are merged. A page counts once, with its best score, and the k best pages are
compared with the gold titles:

    recall@k = |gold titles among the k best| / |gold titles|, mean over the claims

ProgramFC, section 4.2 and Figure 5: the ten best of the paragraphs of all steps count. The paper does not say how they
are ranked together; the above is our reading.

Limitations: scores of different steps are compared unchanged. A step's sentences count for the page that contains them.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from src.claims.labelled import LabelledClaim, plain_title
from src.evaluation.bootstrap import Floats
from src.programs.records import ClaimTrace, StepEvidence

CUTS = (3, 5, 10)


def recalls(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], k: int) -> Floats:
    """Return each claim's recall at k, of shape [claims]. Every claim must have gold titles."""
    return np.array([_recall(gold.titles, pages(trace)[:k]) for gold, trace in zip(golds, traces, strict=True)])


def found_other_pages(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> bool:
    """Return True if a step has evidence from a page that is not a gold page of its claim."""
    return any(
        not set(pages(trace)) <= {plain_title(title) for title in gold.titles}
        for gold, trace in zip(golds, traces, strict=True)
    )


def pages(trace: ClaimTrace) -> list[str]:
    """Return the pages of a trace, best first; ties keep their order. Evidence without a page is skipped."""
    best: dict[str, float] = {}
    for hit in _hits(trace):
        title = plain_title(hit.url)
        best[title] = max(hit.score, best.get(title, hit.score))
    return sorted(best, key=lambda title: -best[title])


def _hits(trace: ClaimTrace) -> Iterable[StepEvidence]:
    return (hit for program in trace.programs for step in program.steps for hit in step.evidence if hit.url)


def _recall(titles: Sequence[str], found: Sequence[str]) -> float:
    gold = {plain_title(title) for title in titles}
    return len(gold & set(found)) / len(gold)
