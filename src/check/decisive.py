"""Decisive evidence: the verdict without each piece of evidence, and the smallest set whose removal turns the verdict.

Leave-one-out, as in tests of comprehensiveness (DeYoung et al. 2020, ERASER, section 4.2; Li et al. 2016): the claim is
judged again without one piece. A verdict turns if another verdict is predicted or the claim becomes undecided. If no
single piece turns the verdict, the search is greedy. It leaves out the piece whose removal lowers the verdict's
probability most, then the next one among the rest, until the verdict turns. For n pieces that takes at most n (n + 1) /
2 judgments. For the page on which readers leave out pieces, the claim is judged without every set of a few pieces, and
the smallest set is found among these.

Limitations: the greedy search may miss a smaller set. Without any evidence a claim is Not Enough Evidence by rule,
whatever a model says. Leaving out all evidence therefore proves nothing and does not count as a set.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

from src.canonical_url import site
from src.check.records import Decisive, VerdictWithout
from src.records import Level, Prediction, Verdict

LeftOut = tuple[int, ...]  # numbers, from 1, of the pieces of evidence that are left out
Judging = Callable[[Sequence[LeftOut]], list[VerdictWithout]]
"""Function that returns, for each of the given sets of evidence, the verdict without this set."""


MOST = 6  # pieces of which every set may be left out: 63 judgments


def decisive_evidence(
    pieces: int, verdict: Verdict, without: Judging, *, every_set: bool = False, is_decided: bool = True
) -> Decisive:
    """Return the decisive evidence of a claim with `pieces` pieces of evidence and the predicted `verdict`.

    A piece is a question-answer pair. `without` judges the claim again without given sets of pieces; its errors are
    passed on. `every_set`: judge without each set of two pieces or more, if there are few. `is_decided`: the claim has
    a verdict that can turn.
    """
    if not pieces:
        return Decisive()
    numbers = range(1, pieces + 1)
    alone = without([(number,) for number in numbers])
    if not every_set or pieces > MOST:
        return Decisive(tuple(alone), _by_greed(alone, verdict, without) if is_decided else None)
    sets = [one for size in numbers[1:] for one in combinations(numbers, size)]
    together = without(sets) if sets else []
    partly = [one for one in (*alone, *together) if len(one.evidence_ids) < pieces]
    return Decisive(tuple(alone), _smallest(partly, verdict) if is_decided else None, tuple(together))


def _smallest(judged: Sequence[VerdictWithout], verdict: Verdict) -> VerdictWithout | None:
    """Return the verdict without the smallest set that turns it; None if no set does.

    Of several such sets, it is the one whose removal lowers the original verdict's probability most.
    """
    turned = (one for one in judged if one.turns(verdict))
    return min(turned, key=lambda one: (len(one.evidence_ids), _probability(one)), default=None)


def _by_greed(alone: Sequence[VerdictWithout], verdict: Verdict, without: Judging) -> VerdictWithout | None:
    """Return the smallest set that the greedy search finds, as the verdict without it; None if no set turns the
    verdict.

    `alone` has the verdict without each single piece, in the order of the pieces.
    """
    pieces, tried = len(alone), alone
    for size in range(1, pieces):
        if turned := _smallest(tried, verdict):
            return turned
        left_out = min(tried, key=_probability).evidence_ids
        others = [number for number in range(1, pieces + 1) if number not in left_out]
        tried = without([tuple(sorted((*left_out, number))) for number in others]) if size < pieces - 1 else []
    return None


def _probability(without: VerdictWithout) -> float:
    """Return the probability of the original verdict, by which results are compared; 1.0 if the model gives none."""
    return without.probability if without.probability is not None else 1.0


def what_would_change(prediction: Prediction, decisive: Decisive) -> str:
    """Return what the verdict would be without the smallest set of evidence that changes it, in words.

    If all of that evidence is from one site, the text says so. If no such set is known, it says why. It is empty for an
    undecided claim, which has no verdict that could change.
    """
    pieces, smallest = len(prediction.evidence), decisive.smallest
    if prediction.level is Level.UNDECIDED:
        return ""
    if not pieces:
        return "Nothing: there is no evidence to leave out."
    if smallest is None and pieces == 1:
        return _of_the_only_piece(prediction, decisive)
    if smallest is None and not decisive.alone:
        return "This was not tried: with this model it takes too long. Its reasons say what they rest on."
    if smallest is None:
        return "Nothing: leaving out any part of the evidence keeps the verdict, as far as was tried."
    several = len(smallest.evidence_ids) > 1
    turned = f"{'No single piece decides. ' if several else ''}{_turned(smallest, prediction)}"
    return f"{turned}{_one_site(prediction, smallest.evidence_ids)}"


def _one_site(prediction: Prediction, numbers: Sequence[int]) -> str:
    """Return a sentence that names the site of these pieces; "" if they are of several sites, or of none."""
    sites = {site(prediction.evidence[number - 1].url) for number in numbers}
    if len(sites) > 1 or not (only := sites.pop()):
        return ""
    return f" So the verdict rests on one site, {only}: look for another one that says the same."


def _of_the_only_piece(prediction: Prediction, decisive: Decisive) -> str:
    """Return as a sentence what the verdict would be without the only piece of evidence. If that was not tried, it is
    Not Enough Evidence by rule.
    """
    verdict = prediction.pred_label
    left = decisive.alone[0] if decisive.alone else VerdictWithout((1,), Verdict.NOT_ENOUGH_EVIDENCE)
    if left.turns(verdict):
        return f"Nothing but the loss of the only evidence there is.{_one_site(prediction, (1,))}"
    return f"Nothing: without the only evidence there is, the verdict is {verdict}, too."


def _turned(without: VerdictWithout, prediction: Prediction) -> str:
    *before, last = (f"[{number}]" for number in without.evidence_ids)
    marks = f"{', '.join(before)} and {last}" if before else last
    verdict, chances = prediction.pred_label, prediction.probabilities
    change = ""
    if chances and without.probability is not None:
        falls = chances[verdict] - without.probability
        change = (
            f" ({verdict} falls from {chances[verdict]:.0%} to {without.probability:.0%})" if falls >= 0.005 else ""
        )
    return f"Without {marks} {_outcome(without)}{change}."


def _outcome(without: VerdictWithout) -> str:
    if without.level is Level.UNDECIDED:
        return "the claim would be undecided"
    return f"the verdict would {'lean to' if without.level is Level.LEANING else 'be'} {without.verdict}"
