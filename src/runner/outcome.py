"""What became of one claim in a step."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

Out = TypeVar("Out", covariant=True)


class HasClaimId(Protocol):
    """What a step works on: any record that is keyed by claim."""

    @property
    def claim_id(self) -> int: ...


@dataclass(frozen=True)
class Outcome(Generic[Out]):
    """One claim's record, and what the manifest sums up over all claims (prompts, tokens, ...).

    `failure` says why the record is only a part of what was asked; the claim then counts as failed.
    """

    record: Out
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
