"""How many of a claim's gold pages its steps have found: recall at k.

The hits of all steps of all programs are put together, a page counts once with its best score, and the k best are
compared with the gold titles:

    recall@k = |gold titles among the k best| / |gold titles|, mean over the claims

ProgramFC, section 4.2 and Figure 5: the ten best of the paragraphs of all steps count. How they are ranked together is
not said there; the above is our reading.

But: scores of different steps are compared as they are; a step's sentences count for the page they stand on.
"""

from collections.abc import Iterable, Sequence

import numpy as np

from src.claims.labelled import LabelledClaim, plain_title
from src.evaluation.figures import Floats
from src.programs.records import ClaimTrace, StepEvidence

CUTS = (3, 5, 10)


def recalls(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace], k: int) -> Floats:
    """[claims]: each claim's recall at k. Every claim must have gold titles."""
    return np.array([_recall(gold.titles, pages(trace)[:k]) for gold, trace in zip(golds, traces, strict=True)])


def found_other_pages(golds: Sequence[LabelledClaim], traces: Sequence[ClaimTrace]) -> bool:
    """Whether any step names a page that is none of its claim's gold pages."""
    return any(
        not set(pages(trace)) <= {plain_title(title) for title in gold.titles}
        for gold, trace in zip(golds, traces, strict=True)
    )


def pages(trace: ClaimTrace) -> list[str]:
    """The pages of a trace, best first; of equal ones the one met first. Evidence without a page is passed over."""
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
