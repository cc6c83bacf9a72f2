"""Confusion matrix: how many claims of each label got each verdict."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from src.evaluation.averitec import ClaimScore
from src.records import VERDICTS, Verdict


class ConfusionRow(msgspec.Struct, frozen=True):
    """The claims of one label; `counts` are in the order of VERDICTS."""

    label: Verdict
    counts: tuple[int, ...]

    @property
    def claims(self) -> int:
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Return the shares of the label's claims; 0 if it has none."""
        return tuple(count / self.claims if self.claims else 0.0 for count in self.counts)


def confusion(claims: Iterable[ClaimScore]) -> list[ConfusionRow]:
    """Return a row for each label. A claim without a verdict is not counted."""
    counts = Counter((one.label, one.guessed) for one in claims)
    return [ConfusionRow(label, tuple(counts[label, guessed] for guessed in VERDICTS)) for label in VERDICTS]
