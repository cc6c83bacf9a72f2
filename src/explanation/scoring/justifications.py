"""METEOR of explanations against AVeriTeC's gold justifications, as in its published scorer.

    justification        mean over claims of METEOR(gold justification, explanation)
    justification @ L    the same mean, but a claim counts 0 unless its Q+A evidence score is greater than L

Schlichtkrull, Guo and Vlachos, AVeriTeC, NeurIPS 2023; the evidence score is that of `src/evaluation/averitec.py`. The
published scorer takes, for a prediction without a justification, its first ten question-answer strings instead,
concatenated. This project uses these strings as the baseline.

Limitations: claims without a gold justification are left out; evidence other than question-answer pairs scores 0.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from src.errors import InputError
from src.evaluation.aggregate import LEVELS
from src.evaluation.averitec import MAX_PAIRS, coverage, gold_strings
from src.evaluation.bootstrap import Floats, figures, mean_of
from src.evaluation.meteor import Words, meteor
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.records import Gold, Justification
from src.records import Claim
from src.text import folded, words


class _Scored(NamedTuple):
    """Scores of one method; each array has the shape [claims].

    `meteor`: METEOR of the explanations.
    `baseline`: METEOR of the question-answer strings of the evidence.
    `evidence`: Q+A score of the evidence.
    """

    meteor: Floats
    baseline: Floats
    evidence: Floats


def against_gold(
    methods: Sequence[Sequence[ExplainedClaim]], golds: Mapping[int, Claim], file: Path, seed: int
) -> Gold:
    """Return METEOR of each method's explanations against gold justifications; `golds` has the gold claims by claim_id.

    Raises InputError if no claim has a gold justification, or a gold claim has another text.
    """
    first = methods[0]
    for claim in first:
        gold = golds.get(claim.claim_id)
        if gold is not None and folded(gold.claim) != folded(claim.claim):
            raise InputError(f"claim {claim.claim_id} is another one than in the explanations", path=file)
    places = [at for at, one in enumerate(first) if _justified(golds.get(one.claim_id))]
    if not places:
        raise InputError("has a justification for none of the claims", path=file)
    known = [golds[first[at].claim_id] for at in places]
    scored = [_scored([claims[at] for at in places], known) for claims in methods]
    columns = figures([mean_of(one.meteor) for one in scored], len(places), seed)
    justifications = [
        Justification(
            figure, _levels(one.meteor, one.evidence), float(one.baseline.mean()), _levels(one.baseline, one.evidence),
            figures([mean_of(one.baseline), mean_of(one.meteor)], len(places), seed)[1],
        )
        for figure, one in zip(columns, scored, strict=True)
    ]  # fmt: skip
    return Gold(str(file), len(places), len(first) - len(places), justifications)


def _scored(claims: Sequence[ExplainedClaim], golds: Sequence[Claim]) -> _Scored:
    rows = [_of_claim(*both) for both in zip(claims, golds, strict=True)]
    return _Scored(*np.array(rows).T)


def _of_claim(claim: ExplainedClaim, gold: Claim) -> tuple[float, float, float]:
    reference = Words(words(gold.justification or ""))
    strings = [f"{pair.question} {pair.answer}" for pair in claim.evidence[:MAX_PAIRS]]
    wanted = [Words(words(text)) for question in gold.questions for text in gold_strings(question)]
    score, baseline = (
        meteor(reference, Words(words(text))) for text in (claim.explanation or "", " ".join(strings))
    )  # fmt: skip
    return score, baseline, coverage(wanted, strings)


def _levels(scores: Floats, evidence: Floats) -> dict[str, float]:
    return {str(level): float((scores * (evidence > level)).mean()) for level in LEVELS}


def _justified(gold: Claim | None) -> bool:
    return gold is not None and bool((gold.justification or "").strip())
