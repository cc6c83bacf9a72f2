"""Claims of AVeriTeC's train with their gold answers, or with passages that a system retrieved for them."""

from collections.abc import Mapping, Sequence
from random import Random

from src.evaluation.averitec import NO_ANSWER
from src.evaluation.gold_pairs import gold_pairs
from src.records import Claim, QAPair
from src.stance.records import Passage
from src.stance.stacker import MOST, passages_of
from src.text import same
from src.training.as_met.among import Others, among
from src.training.as_met.records import AVERITEC, RETRIEVED, MetClaim
from src.training.retrieved import Pairs

LEFT_OUT = 0.2  # share of claims without the decisive evidence: Not Enough Evidence


def averitec_claims(
    claims: Sequence[Claim], everyone: Sequence[Claim], seed: int, left_out: float = LEFT_OUT
) -> list[MetClaim]:
    """Return a variant of every labeled claim with evidence. A share `left_out` lacks the decisive evidence.

    Distractors are gold answers of the other claims of `everyone`.
    """
    others = Others((one.claim, passage) for one in everyone for passage in _gold(one))
    found = []
    for claim in claims:
        if claim.label is not None and claim.questions:
            draw = Random(f"{seed}\n{same(claim.claim)}")
            whole = MetClaim(AVERITEC, same(claim.claim), claim.claim, _gold(claim), claim.label)
            found.append(among(whole, others.of(whole), draw, left_out))
    return [one for one in found if one.passages]


def retrieved_claims(claims: Sequence[Claim], retrieved: Mapping[int, Pairs]) -> list[MetClaim]:
    """Return the labeled claims for which a system retrieved passages, with the first `MOST` of them."""
    return [
        MetClaim(
            RETRIEVED,
            same(claim.claim),
            claim.claim,
            [Passage(text) for _, text in retrieved[claim.claim_id][:MOST]],
            claim.label,
        )
        for claim in claims
        if claim.label is not None and retrieved.get(claim.claim_id)
    ]


def _gold(claim: Claim) -> list[Passage]:
    """Return the gold answers as passages, without answers that no answer was found."""
    return passages_of([QAPair(*pair) for pair in gold_pairs(claim) if not pair[1].startswith(NO_ANSWER)])
