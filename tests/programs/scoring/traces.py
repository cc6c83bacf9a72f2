"""Small traces and gold claims to score."""

from collections.abc import Sequence

from src.claims import LabelledClaim
from src.programs.records import ClaimTrace, Diagnostic, DiagnosticKind, Function, ProgramTrace, StepEvidence, StepTrace
from src.records import Sentence, Value


def gold(
    claim_id: int, value: Value, *, hops: int | None = None, claim: str = "", passages: Sequence[str] = (),
    titles: Sequence[str] = (), challenge: str = "",
) -> LabelledClaim:  # fmt: skip
    text = claim or f"Claim {claim_id}."
    held = tuple(Sentence(one, "") for one in passages)
    return LabelledClaim(claim_id, f"k{claim_id}", text, value, hops, held, tuple(titles), challenge=challenge)


def verified(text: str, value: Value | None, *hits: tuple[str, float], uses: Sequence[int] = ()) -> StepTrace:
    return _step(Function.VERIFY, "fact_1", text, None if value is None else value.value, hits, uses)


def questioned(text: str, answer: str | None, *hits: tuple[str, float], uses: Sequence[int] = ()) -> StepTrace:
    return _step(Function.QUESTION, "answer_1", text, answer, hits, uses)


def _step(
    function: Function, variable: str, text: str, value: str | None, hits: Sequence[tuple[str, float]],
    uses: Sequence[int],
) -> StepTrace:  # fmt: skip
    evidence = [StepEvidence("A sentence.", title, score) for title, score in hits]
    return StepTrace(variable, function, 1, text, value, evidence, uses=list(uses))


def traced(
    claim_id: int, value: Value, *steps: StepTrace, label: str | None = "fact_1", kinds: Sequence[str] = (),
    claim: str = "",
) -> ClaimTrace:  # fmt: skip
    """A claim with one program; without steps one Verify of the claim."""
    text = claim or f"Claim {claim_id}."
    numbered = [_numbered(step, at) for at, step in enumerate(steps or [verified(text, value)], start=1)]
    diagnostics = [Diagnostic(DiagnosticKind(kind), 9, "") for kind in kinds]
    return ClaimTrace(claim_id, text, value, 1.0, 2, [ProgramTrace(value, numbered, diagnostics, label)])


def _numbered(step: StepTrace, line: int) -> StepTrace:
    step.line = line
    return step
