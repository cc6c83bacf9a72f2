"""The groups of claims that get a line of their own: places of claims by the group's name; empty groups are left out.

HOVER is read by its hops; FEVEROUS-S by what it calls hard, and by claims with a single gold sentence, since the number
of sentences gives the label away.
"""

from collections import defaultdict
from collections.abc import Sequence

from src.claims.labelled import LabelledClaim

ALL = "all"
ONE_SENTENCE = "one gold sentence"
Groups = dict[str, list[int]]


def by_hops(golds: Sequence[LabelledClaim]) -> Groups:
    """The claims of each number of hops, then all of them."""
    found: Groups = defaultdict(list)
    for place, gold in enumerate(golds):
        if gold.hops is not None:
            found[f"{gold.hops} hops"].append(place)
    return dict(sorted(found.items())) | {ALL: list(range(len(golds)))}


def by_challenge(golds: Sequence[LabelledClaim]) -> Groups:
    """Claims with one gold sentence, then those of each challenge, the frequent ones first."""
    found: Groups = defaultdict(list)
    single: Groups = {ONE_SENTENCE: [place for place, gold in enumerate(golds) if len(gold.gold) == 1]}
    for place, gold in enumerate(golds):
        if gold.challenge:
            found[gold.challenge].append(place)
    frequent = dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))
    return {name: places for name, places in (single | frequent).items() if places}
