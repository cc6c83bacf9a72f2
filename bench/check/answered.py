"""What is kept of a checked claim, and whether its reason holds as a second model reads it."""

from bench.check.records import Answered
from src.check import CheckedClaim, Models
from src.explanation.labels import conclusion
from src.records import Claim, Side
from src.stance.reader import StanceReader
from src.stance.records import SIDE_OF, Passage
from src.text import sentences

HOLDS = 0.5  # probability from which a cited sentence entails or contradicts the claim


def answered(claim: Claim, checked: CheckedClaim, models: Models, seconds: float) -> Answered:
    prediction = checked.prediction
    assert claim.label is not None
    return Answered(
        claim.claim_id,
        claim.label,
        prediction.pred_label,
        prediction.level,
        tuple(prediction.verdict_set or ()),
        reason_holds(checked, models),
        round(seconds, 2),
    )


def reason_holds(checked: CheckedClaim, models: Models) -> bool | None:
    """Return whether what a justification quotes, a sentence or all of it, is on the side of the verdict, as the
    entailment model of programs reads it; None where it states no reason."""
    text = checked.explained.explanation or ""
    side = SIDE_OF.get(checked.prediction.pred_label)
    if side is None or conclusion(checked.prediction.pred_label) not in text:
        return None
    reasons = [one.partition("; so ")[0] for one in sentences(text)]
    quoted = [Passage(one) for one in (*reasons, " ".join(reasons))]
    (read,) = StanceReader(models.entailment).stances([(checked.claim.claim, quoted)])
    chances = [one.entail if side is Side.FOR else one.contradict for one in read]
    return max(chances, default=0.0) >= HOLDS
