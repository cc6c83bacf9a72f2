"""Engine of a step: what processes claims, and how one batch of claims is processed."""

import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from src.errors import FatalError, ModelError, PendingError
from src.runner.estimate import Estimate
from src.runner.journal import Entry
from src.runner.outcome import HasClaimId, Outcome
from src.runner.output import Failure
from src.store import storable

In = TypeVar("In", bound=HasClaimId)
Out = TypeVar("Out")


@dataclass(frozen=True)
class Engine(Generic[In, Out]):
    """A step that is ready to process claims: its models are loaded.

    `work`: function from a batch of claims to their outcomes, in the same order.
    `model`: description of the model, for the manifest.
    `notes`: where the engine departs from the published recipe, for the manifest.
    `notes_on`: function from the counts summed over all claims to further notes.
    `deterministic`: another run gives the same output.
    `estimate`: estimates the cost of a run for --dry_run; by default three claims are timed.
    """

    work: Callable[[Sequence[In]], Sequence[Outcome[Out]]]
    model: object = None
    notes: Sequence[str] = ()
    notes_on: Callable[[Mapping[str, int]], Sequence[str]] = lambda counts: ()
    deterministic: bool = True
    estimate: Callable[[Sequence[In]], Estimate] | None = None


@dataclass(frozen=True)
class Attempt(Generic[In, Out]):
    """Function from a batch of claims to their journal entries.

    If a batch raises an error, each of its claims is processed alone, so that the others do not fail with it.
    """

    step: str
    work: Callable[[Sequence[In]], Sequence[Outcome[Out]]]
    encode: Callable[[Out], bytes]
    without_result: Callable[[In], Out]

    def __call__(self, batch: Sequence[In]) -> list[Entry]:
        began = time.perf_counter()
        try:
            outcomes = self.work(batch)
            seconds = (time.perf_counter() - began) / len(batch)
            return [
                Entry(
                    claim.claim_id, msgspec.Raw(self.encode(outcome.record)), dict(outcome.counts), seconds,
                    self._partial(claim, outcome.failure),
                )
                for claim, outcome in zip(batch, outcomes, strict=True)
            ]  # fmt: skip
        except FatalError:
            raise
        except Exception as error:
            if len(batch) > 1:
                return [entry for claim in batch for entry in self([claim])]
            (claim,) = batch
            message, trace = storable(str(error)), storable(traceback.format_exc())
            failure = Failure(claim.claim_id, self.step, type(error).__name__, message, trace)
            record = msgspec.Raw(self.encode(self.without_result(claim)))
            waiting = tuple(map(msgspec.Raw, error.requests)) if isinstance(error, PendingError) else ()
            return [Entry(claim.claim_id, record, {}, time.perf_counter() - began, failure, waiting)]

    def _partial(self, claim: In, failure: str) -> Failure | None:
        """Return the Failure of a claim whose record is incomplete, or None if `failure` is ""."""
        return Failure(claim.claim_id, self.step, ModelError.__name__, storable(failure), "") if failure else None
