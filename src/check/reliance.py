"""Texts that say how reliable a verdict is."""

from collections.abc import Iterator

from src.check.records import Reliance
from src.records import Level, OverruledBy, Prediction, Verdict

UNDECIDED = "Undecided"
AS_READ = "as a small model reads it, often wrongly"
CAUTION = "judged by models that err: read the sources before you rely on it"
_UNNAMED = "None of the evidence names {0}, as the claim does, so it settles nothing. Look for pages about {0}."
_LESS_PROBABLE = "The verdict is not the most probable one"
_OVERRULED = {
    OverruledBy.BIASES: f"{_LESS_PROBABLE}: rare verdicts have a head start, fitted on held-out claims.",
    OverruledBy.REASONING: "The model's scores name another verdict than its reasoning.",
    None: f"{_LESS_PROBABLE}.",
}


def headline(prediction: Prediction) -> str:
    """Return the headline of a result: the verdict with its level, such as `Leaning to Supported`.

    For an undecided claim it is `Undecided` and the reason, without a verdict.
    """
    if reason := why_undecided(prediction):
        return f"{UNDECIDED}: {reason}"
    firm = f" ({prediction.level})" if prediction.level is Level.FIRM else ""
    return f"{leveled(prediction.pred_label, prediction.level)}{firm}"


def why_undecided(prediction: Prediction) -> str:
    """Return why a claim is undecided, in a few words; "" if it is not."""
    if prediction.level is not Level.UNDECIDED:
        return ""
    if not prediction.evidence:
        return "no evidence was found"
    return f"no evidence names {prediction.unnamed}" if prediction.unnamed else "the models here cannot tell"


def leveled(verdict: str, level: Level | None) -> str:
    """Return the verdict as text that shows its level: `Leaning to Supported`; for an undecided claim only
    `Undecided`.
    """
    if level is Level.UNDECIDED:
        return UNDECIDED
    return f"Leaning to {verdict}" if level is Level.LEANING else verdict


def reliance(prediction: Prediction, measured: Reliance | None) -> Iterator[str]:
    """Yield sentences: how often verdicts of this level were right on held-out claims, and which verdicts are not ruled
    out.

    If the verdict is not the most probable one, the last sentence says why. `measured` is None if nothing was measured;
    its numbers are then left out.

    Limitations: Not Enough Evidence is seldom recognized; the text says so whenever this verdict is ruled out.
    """
    yield from _measured(prediction, measured)
    chances = prediction.probabilities or {}
    if chances and chances.get(prediction.pred_label, 0.0) < max(chances.values()):
        yield _OVERRULED[prediction.overruled_by]


def _measured(prediction: Prediction, measured: Reliance | None) -> Iterator[str]:
    """Yield the sentences on the prediction's level and its set of possible verdicts; none if there is no evidence."""
    if not prediction.evidence:
        return
    if prediction.level is None:
        yield "How often verdicts of this model are right was not measured."
        return
    if prediction.unnamed:
        yield _UNNAMED.format(prediction.unnamed)
        return
    if measured and measured.of_level and measured.precision is not None:
        verdicts = "likeliest verdicts" if prediction.level is Level.UNDECIDED else "verdicts"
        yield (
            f"Of {measured.claims} held-out claims {measured.of_level} had the level {prediction.level}; "
            f"{measured.precision:.0%} of their {verdicts} were right. The limits were chosen on the same claims; "
            "on claims of another kind fewer are."
        )
    if prediction.level is Level.UNDECIDED and not prediction.verdict_set:
        yield (
            f"The steps of the program come out as {prediction.pred_label}. How often programs are right was not "
            "measured on held-out claims."
        )
    if prediction.verdict_set:
        possible = " or ".join(prediction.verdict_set)
        coverage = f"{measured.coverage:.0%} of held-out claims keep their right verdict" if measured else ""
        origin = f" (chosen so that {coverage}; of other kinds fewer do)" if coverage else ""
        yield f"Not ruled out: {possible}{origin}."
        if Verdict.NOT_ENOUGH_EVIDENCE not in prediction.verdict_set:
            yield f"{Verdict.NOT_ENOUGH_EVIDENCE} is seldom recognized, and may be right all the same."
