"""AVeriTeC's claims with their gold question-answer pairs and the justification that an annotator wrote.

But: a justification is no clean explanation: annotators knew more than they wrote down as evidence.
"""

from pathlib import Path

from src.evaluation.gold_pairs import gold_pairs
from src.explanation.records import ExplainedClaim
from src.records import QAPair
from src.store import read_claims


def gold_explanations(path: Path) -> list[ExplainedClaim]:
    """Of the claims that have a label and a justification, in file order. Raises InputError (file, line, field)."""
    return [
        ExplainedClaim(
            claim_id=claim.claim_id,
            claim=claim.claim,
            label=claim.label,
            evidence=[QAPair(question, answer) for question, answer in gold_pairs(claim)],
            explanation=" ".join(claim.justification.split()),
        )
        for claim in read_claims(path)
        if claim.label is not None and claim.justification and claim.justification.strip()
    ]
