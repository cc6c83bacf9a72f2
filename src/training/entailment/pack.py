"""Reader of an inference pack: public sets of claims with evidence and labels, one `<set>.jsonl.gz` a set.

Each line has `id`, `claim`, `evidence` (texts), `verdict` (AVeriTeC's four, or null), `nli` (entailment, contradiction,
neutral, not_entailment, or null) and `split` (train, dev, test). If they are known, it also has `rationale` (the
decisive evidence) and `in_test_of` (sets whose test rows have the same claim).

Limitations: `learnable` leaves out rows that are published as test rows, or share their claim with one.
"""

from pathlib import Path
from typing import Literal

import msgspec

from src.errors import InputError
from src.models.entailment import LABELS
from src.records import Verdict
from src.store import read_records

ENTAILED, CONTRADICTED, NEUTRAL = range(len(LABELS))
TEST = "test"
_OF_VERDICT = {
    Verdict.SUPPORTED: ENTAILED,
    Verdict.REFUTED: CONTRADICTED,
    Verdict.NOT_ENOUGH_EVIDENCE: NEUTRAL,
}
_OF_NLI = {"entailment": ENTAILED, "contradiction": CONTRADICTED, "neutral": NEUTRAL}


class PackRow(msgspec.Struct, frozen=True):
    """A claim with evidence. `label` is the index of its label in the entailment model's LABELS, or None."""

    id: str
    claim: str
    evidence: tuple[str, ...]
    split: Literal["train", "dev", "test"]
    verdict: Verdict | None = None
    nli: str | None = None
    rationale: list[object] | None = None
    in_test_of: list[str] | None = None

    @property
    def label(self) -> int | None:
        if self.verdict is not None:
            return _OF_VERDICT.get(self.verdict)
        return _OF_NLI.get(self.nli or "")

    @property
    def may_be_learned(self) -> bool:
        return self.split != TEST and not self.in_test_of

    @property
    def decisive(self) -> frozenset[str]:
        """Return the texts of the evidence that the annotators named as decisive; empty if they named none."""
        return frozenset(one for one in self.rationale or () if isinstance(one, str))


def read_set(folder: Path, name: str) -> list[PackRow]:
    """Return all rows of one set, in file order. Raises InputError when it is missing or invalid."""
    path = folder / f"{name}.jsonl.gz"
    if not path.is_file():
        raise InputError("no such set in the pack", path=path)
    return read_records(path, PackRow)


def learnable(rows: list[PackRow]) -> list[PackRow]:
    """Return the rows with evidence and one of the three labels that may be trained on."""
    return [row for row in rows if row.may_be_learned and row.label is not None and row.evidence]


def reporting_rows(rows: list[PackRow]) -> list[PackRow]:
    """Return the rows with evidence and one of the three labels that are for reporting only."""
    return [row for row in rows if row.split == TEST and row.label is not None and row.evidence]
