"""AVeriTeC's claims with their gold question-answer pairs and the justification that an annotator wrote.

But: a justification is no clean explanation: annotators knew more than they wrote down as evidence.
"""

from pathlib import Path

from src.evaluation.gold_pairs import gold_pairs
from src.explanation.records import ExplainedClaim
from src.records import Claim, QAPair
from src.store import read_claims


def gold_explanations(path: Path) -> list[ExplainedClaim]:
    """Of the claims that have one, in file order. Raises InputError (file, line, field)."""
    return [one for one in map(gold_explanation, read_claims(path)) if one is not None]


def gold_explanation(claim: Claim) -> ExplainedClaim | None:
    """None for a claim without a label or a justification."""
    said = " ".join((claim.justification or "").split())
    if claim.label is None or not said:
        return None
    when, by = claim.claim_date or "", claim.speaker or ""
    return ExplainedClaim(claim.claim_id, claim.claim, claim.label, gold_evidence(claim), "", when, by, said)


def gold_evidence(claim: Claim) -> list[QAPair]:
    """Its gold questions with their answers, a pair for each answer."""
    return [QAPair(question, answer) for question, answer in gold_pairs(claim)]
