"""AVeriTeC's claims with their gold question-answer pairs and the annotator's justification.

Limitations: a gold justification may be unfaithful to its evidence. Annotators knew more than they wrote down.
"""

from pathlib import Path

from src.evaluation.averitec import gold_pairs
from src.explanation.records import ExplainedClaim
from src.records import Claim, QAPair
from src.store import read_claims


def gold_explanations(path: Path) -> list[ExplainedClaim]:
    """Return the claims that have a gold justification, in file order.

    Raises: InputError with file, line and field if the file is invalid.
    """
    return [one for one in map(gold_explanation, read_claims(path)) if one is not None]


def gold_explanation(claim: Claim) -> ExplainedClaim | None:
    """Return the claim with its gold justification; None if it has no label or no justification."""
    said = " ".join((claim.justification or "").split())
    if claim.label is None or not said:
        return None
    when, by = claim.claim_date or "", claim.speaker or ""
    return ExplainedClaim(claim.claim_id, claim.claim, claim.label, gold_evidence(claim), "", when, by, said)


def gold_evidence(claim: Claim) -> list[QAPair]:
    """Return a pair for each answer of the claim's gold questions."""
    return [QAPair(question, answer) for question, answer in gold_pairs(claim)]
