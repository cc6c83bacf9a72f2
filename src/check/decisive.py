"""Which evidence decides: what the verdict would be without each piece, and the smallest set that turns it.

Leave-one-out, as in tests of comprehensiveness (DeYoung et al. 2020, ERASER, section 4.2; Li et al. 2016): the claim is
judged anew with a piece left out. A verdict turns when another one is found or the claim becomes undecided. Where no
piece alone turns the verdict, the one whose loss lowers the verdict's probability most is left out, then of what
remains the next, until the verdict turns. Of n pieces that takes at most n (n + 1) / 2 judgements.

But: greedy, so a smaller set may be there that is not found. Without any evidence a claim is Not Enough Evidence by
rule, whatever a model says: that leaving out all of it turns the verdict tells nothing and is no set.
"""

from collections.abc import Callable, Sequence

from src.check.records import Decisive, Without
from src.records import Verdict

LeftOut = tuple[int, ...]  # evidence ids, which count from 1
Judging = Callable[[Sequence[LeftOut]], list[Without]]
"""The claim without each of these sets of evidence, in order."""


def decisive_evidence(pieces: int, verdict: Verdict, without: Judging) -> Decisive:
    """Of a claim with so many pieces and this verdict. Raises what `without` raises."""
    if not pieces:
        return Decisive()
    alone = without([(number,) for number in range(1, pieces + 1)])
    return Decisive(tuple(alone), _smallest(alone, pieces, verdict, without))


def _smallest(alone: Sequence[Without], pieces: int, verdict: Verdict, without: Judging) -> Without | None:
    tried = alone
    for size in range(1, pieces):
        if turned := [one for one in tried if one.turns(verdict)]:
            return min(turned, key=_probability)
        left_out = min(tried, key=_probability).evidence_ids
        others = [number for number in range(1, pieces + 1) if number not in left_out]
        tried = without([tuple(sorted((*left_out, number))) for number in others]) if size < pieces - 1 else []
    return None


def _probability(without: Without) -> float:
    """Of equal ones, and where a model gives none, the first counts."""
    return without.probability if without.probability is not None else 1.0
