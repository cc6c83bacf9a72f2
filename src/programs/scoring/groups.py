"""Groups of claims that are scored separately: places of claims by the group's name, without empty groups.

HOVER is grouped by hops. FEVEROUS-S is grouped by its challenges; claims with a single gold sentence are one more
group, because the number of sentences gives the label away.
"""

from collections import defaultdict
from collections.abc import Sequence

from src.claims.labelled import LabelledClaim

ALL = "all"
ONE_SENTENCE = "one gold sentence"
Groups = dict[str, list[int]]


def by_hops(golds: Sequence[LabelledClaim]) -> Groups:
    """Return the claims of each number of hops, then all claims."""
    found: Groups = defaultdict(list)
    for place, gold in enumerate(golds):
        if gold.hops is not None:
            found[f"{gold.hops} hops"].append(place)
    return dict(sorted(found.items())) | {ALL: list(range(len(golds)))}


def by_challenge(golds: Sequence[LabelledClaim]) -> Groups:
    """Return the claims with one gold sentence, then those of each challenge, the most frequent first."""
    found: Groups = defaultdict(list)
    single: Groups = {ONE_SENTENCE: [place for place, gold in enumerate(golds) if len(gold.gold) == 1]}
    for place, gold in enumerate(golds):
        if gold.challenge:
            found[gold.challenge].append(place)
    frequent = dict(sorted(found.items(), key=lambda item: (-len(item[1]), item[0])))
    return {name: places for name, places in (single | frequent).items() if places}
