"""Trace of a verdict on a claim as a whole, in the form of a program that only verifies it."""

from collections.abc import Sequence

from src.programs.records import ClaimTrace, Function, ProgramTrace, StepEvidence, StepTrace
from src.records import Value


def trace_of(
    claim_id: int, claim: str, value: Value, confidence: float, evidence: Sequence[StepEvidence], model_calls: int
) -> ClaimTrace:
    step = StepTrace("fact_1", Function.VERIFY, 1, claim, value, list(evidence), decisive=True, confidence=confidence)
    return ClaimTrace(claim_id, claim, value, 1.0, model_calls, [ProgramTrace(value, [step], [], "fact_1")])
