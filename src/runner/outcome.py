"""Result of a step for one claim."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

Out = TypeVar("Out", covariant=True)


class HasClaimId(Protocol):
    """Input of a step: any record that is keyed by claim."""

    @property
    def claim_id(self) -> int: ...


@dataclass(frozen=True)
class Outcome(Generic[Out]):
    """One claim's record, and its counts (prompts, tokens, ...), which the manifest sums over all claims.

    `failure` says why the record is incomplete; the claim then counts as failed.
    """

    record: Out
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
