"""Result of a step for one claim."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

Out = TypeVar("Out", covariant=True)


class HasClaimId(Protocol):
    """Input of a step: any record with a claim_id."""

    @property
    def claim_id(self) -> int: ...


@dataclass(frozen=True)
class Outcome(Generic[Out]):
    """Result of a step for one claim.

    `record`: output record.
    `counts`: counts such as prompts and tokens; the manifest contains their sums over all claims.
    `failure`: reason why the record is incomplete, so that the claim counts as failed; "" if it is complete.
    """

    record: Out
    counts: Mapping[str, int] = field(default_factory=dict)
    failure: str = ""
