"""Description of what would change a verdict."""

from src.check.records import Decisive, VerdictWithout
from src.records import Level, Prediction, Verdict


def what_would_change(prediction: Prediction, decisive: Decisive) -> str:
    """Return the verdict without the smallest set of evidence found to turn it, as a sentence.

    The text is empty for an undecided claim, which has no verdict to turn.
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
    return f"{'No single piece decides. ' if several else ''}{_turned(smallest, prediction)}"


def _of_the_only_piece(prediction: Prediction, decisive: Decisive) -> str:
    """Return what losing the only piece changes; if that was not tried, by the rule for claims without evidence."""
    found = prediction.pred_label
    left = decisive.alone[0] if decisive.alone else VerdictWithout((1,), Verdict.NOT_ENOUGH_EVIDENCE)
    if left.turns(found):
        return "Nothing but the loss of the only evidence there is."
    return f"Nothing: without the only evidence there is, the verdict is {found}, too."


def _turned(without: VerdictWithout, prediction: Prediction) -> str:
    *before, last = (f"[{number}]" for number in without.evidence_ids)
    marks = f"{', '.join(before)} and {last}" if before else last
    found, chances = prediction.pred_label, prediction.probabilities
    change = ""
    if chances and without.probability is not None:
        falls = chances[found] - without.probability
        change = f" ({found} falls from {chances[found]:.0%} to {without.probability:.0%})" if falls >= 0.005 else ""
    return f"Without {marks} {_outcome(without)}{change}."


def _outcome(without: VerdictWithout) -> str:
    if without.level is Level.UNDECIDED:
        return "the claim would be undecided"
    return f"the verdict would {'lean to' if without.level is Level.LEANING else 'be'} {without.verdict}"
