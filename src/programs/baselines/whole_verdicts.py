"""Fine-tuned baseline: an encoder's verdicts on claims as a whole.

A verdict is true if its probability is above one half, else false; there is no third verdict.

Limitations: the training itself is in `src/training/few_shot`.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from src.claims.labelled import LabelledClaim
from src.llm.protocol import ModelInfo
from src.models.evidence_rows import Input
from src.programs.answerers.evidence import EvidenceSource, Found
from src.programs.baselines.evidence import evidence_of
from src.programs.baselines.trace_of import trace_of
from src.programs.records import ClaimTrace
from src.records import Value
from src.runner.estimate import Estimate, time_claims
from src.runner.job import Engine
from src.runner.outcome import Outcome

CUT = "cut"  # name of a count: claims that are longer than the encoder's input


class Learned(Protocol):
    """A trained encoder, with the seconds of its training. `probabilities` are those of true."""

    @property
    def info(self) -> ModelInfo: ...

    @property
    def seconds(self) -> float: ...

    def probabilities(self, inputs: Sequence[Input], /) -> list[float]: ...

    def cut(self, inputs: Sequence[Input], /) -> list[bool]:
        """Return True for each input that is longer than what the encoder reads."""
        ...


def as_input(claim: LabelledClaim, evidence: Found) -> Input:
    return claim.claim, tuple((one.title, one.sentence) for one in evidence)


def learned_engine(learned: Learned, source: EvidenceSource) -> Engine[LabelledClaim, ClaimTrace]:
    """Return the engine; its estimate includes the seconds of the training."""

    def work(batch: Sequence[LabelledClaim]) -> list[Outcome[ClaimTrace]]:
        return verdicts(batch, source, learned)

    def estimate(claims: Sequence[LabelledClaim]) -> Estimate:
        found = time_claims(claims, work, msgspec.json.encode)
        return msgspec.structs.replace(found, seconds=found.seconds + learned.seconds)

    return Engine(work, model=learned.info, deterministic=learned.info.deterministic, estimate=estimate)


def verdicts(
    claims: Sequence[LabelledClaim], source: EvidenceSource, learned: Learned
) -> list[Outcome[ClaimTrace]]:  # fmt: skip
    """Return the verdict of each claim, in order. Raises ModelError when the model fails."""
    evidence = evidence_of(claims, source)
    inputs = [as_input(*one) for one in zip(claims, evidence, strict=True)]
    true, cut = learned.probabilities(inputs), learned.cut(inputs)
    return [
        _outcome(claim, found, probability, {CUT: int(is_cut)})
        for claim, found, probability, is_cut in zip(claims, evidence, true, cut, strict=True)
    ]


def _outcome(claim: LabelledClaim, evidence: Found, true: float, counts: Mapping[str, int]) -> Outcome[ClaimTrace]:
    value, confidence = (Value.TRUE, true) if true > 0.5 else (Value.FALSE, 1 - true)
    trace = trace_of(claim.claim_id, claim.claim, value, confidence, evidence, 1)
    return Outcome(trace, {"model_calls": 1, "without_evidence": int(not evidence), **counts})
