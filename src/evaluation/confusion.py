"""Which verdicts are taken for which: how many claims of each label got each verdict."""

from collections import Counter
from collections.abc import Iterable

import msgspec

from src.evaluation.averitec import ClaimScore
from src.records import VERDICTS, Verdict


class ConfusionRow(msgspec.Struct, frozen=True):
    """The claims of one label; `counts` in the order of VERDICTS."""

    label: Verdict
    counts: tuple[int, ...]

    @property
    def claims(self) -> int:
        return sum(self.counts)

    @property
    def shares(self) -> tuple[float, ...]:
        """Of the label's claims; 0 where it has none."""
        return tuple(count / self.claims if self.claims else 0.0 for count in self.counts)


def confusion(claims: Iterable[ClaimScore]) -> list[ConfusionRow]:
    """A row for each label. A claim without a verdict counts nowhere."""
    counts = Counter((one.label, one.guessed) for one in claims)
    return [ConfusionRow(label, tuple(counts[label, guessed] for guessed in VERDICTS)) for label in VERDICTS]
