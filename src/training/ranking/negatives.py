"""The negatives of a reranker: published ones, which are random, and hard ones.

published  for each gold pair, some random ones of each kind: the claim, the question or the answer is replaced by
           another claim's (the recipe of the official baseline)
hard       for each gold pair, some of these in turn: sentences that a system retrieved for this claim from the web;
           evidence of the most similar claims; evidence of other claims that a search for this claim finds. None has
           an answer like a gold answer of this claim

Limitations: they are drawn once, and are the same in every epoch.
"""

import random
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, zip_longest

from src.training.ranking.evidence_pool import EvidencePool, Triple, unlike
from src.training.retrieved import Pairs
from src.training.spread import evenly

SEARCHED = 20  # claims or pairs that are searched for each claim


def random_negatives(pool: EvidencePool, each: int, seed: int) -> list[Triple]:
    """Return `each` random negatives of each kind for each gold pair."""
    draw = random.Random(seed)
    found = []
    for pair in pool.pairs:
        for _ in range(each):
            others = [_other(pool.pairs, pair.claim, draw) for _ in range(3)]
            found.append(Triple(others[0].claim, pair.question, pair.answer))
            found.append(Triple(pair.claim, others[1].question, pair.answer))
            found.append(Triple(pair.claim, pair.question, others[2].answer))
    return found


def hard_negatives(pool: EvidencePool, retrieved: Mapping[int, Pairs], each: int) -> list[Triple]:
    """Return `each` hard negatives for each gold pair, or fewer if there are no more. `retrieved` is by claim_id."""
    found = []
    for place, claim in enumerate(pool.claims):
        own = pool.own[place]
        kinds = [
            from_web(claim.claim, retrieved.get(claim.claim_id, [])),
            list(islice(pool.neighbours(place, SEARCHED), SEARCHED)),
            list(pool.found(place, SEARCHED)),
        ]
        turns = (pair for pair in chain(*zip_longest(*kinds)) if pair is not None)
        chosen = unlike(turns, own)[: each * len(own)]
        found += [Triple(claim.claim, pair.question, pair.answer) for pair in chosen]
    return found


def from_web(claim: str, pairs: Pairs) -> list[Triple]:
    return [Triple(claim, question, sentence) for question, sentence in pairs]


def candidates(pool: EvidencePool, retrieved: Mapping[int, Pairs], place: int, most: int) -> list[Triple]:
    """Return the test candidates of a claim: hard negatives, then its gold pairs, at most `most` in all.

    All gold pairs are kept. They are last, so a tie does not count in their favor.
    """
    claim, own = pool.claims[place], pool.own[place]
    others: Iterable[Triple] = chain(
        from_web(claim.claim, retrieved.get(claim.claim_id, [])), pool.found(place, len(pool.pairs))
    )
    chosen = unlike(others, own)[: max(0, most - len(own))]
    return [*(Triple(claim.claim, pair.question, pair.answer) for pair in chosen), *own]


def held_out_candidates(
    held_out: EvidencePool, retrieved: Mapping[int, Pairs], most: int, claims: int
) -> list[list[Triple]]:
    """Return the candidates of up to `claims` held-out claims that have gold pairs."""
    places = [place for place, own in enumerate(held_out.own) if own]
    return [candidates(held_out, retrieved, place, most) for place in evenly(places, claims)]


def _other(pairs: Sequence[Triple], claim: str, draw: random.Random) -> Triple:
    """Return a random pair of another claim, or the first pair if 100 draws find none."""
    tries = (pairs[draw.randrange(len(pairs))] for _ in range(100))
    return next((pair for pair in tries if pair.claim != claim), pairs[0])
