"""The inference pack (public sets of claims with evidence and labels, one `<set>.jsonl.gz` per set), and its examples.

Each line has `id`, `claim`, `evidence` (texts), `verdict` (AVeriTeC's four, or null), `nli` (entailment, contradiction,
neutral, not_entailment, or null) and `split` (train, dev, test). If they are known, it also has `rationale` (the
decisive evidence) and `in_test_of` (sets whose test rows have the same claim). There are five kinds of examples:

    plain      a row unchanged: its evidence as one passage
    other      a claim with the evidence of the most similar claim (BM25): neutral
    noisy      a row with one or two passages of other claims: the row's label
    restated   a claim with a passage that only repeats the claim: neutral
    corrected  a row whose evidence first quotes the claim: the row's label

Evidence of more than `WINDOW` words is cut to the decisive texts, and then to the texts that share the most words with
the claim, in their order.

SETS has only sets with a stated license that allows derived work. If the pack's copy is a mirror, the license is the
one that the set's authors state. SNLI is CC BY-SA 4.0, MultiNLI OANC/CC BY 3.0/CC BY-SA 3.0/MIT by genre, FEVER and
BoolQ are CC BY-SA 3.0. The numbers of rows favor short rows and diverse sets: a CPU reads about 700 tokens a second.

Limitations: `learnable` leaves out rows that are published as test rows, or share their claim with one. The evidence of
the most similar claim may by chance decide the claim.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

import msgspec

from src.errors import InputError
from src.models.entailment import TitledText
from src.records import Verdict
from src.reranking.bm25 import BM25
from src.store import read_records
from src.text import numbered_words, words
from src.training.entailment.examples import (
    CONTRADICTED,
    ENTAILED,
    NEUTRAL,
    OF_VERDICT,
    EntailmentExample,
    quoted_before,
    restated,
)
from src.training.split import number_of

TEST = "test"
_OF_NLI = {"entailment": ENTAILED, "contradiction": CONTRADICTED, "neutral": NEUTRAL}

WINDOW = 120  # words of evidence
NOISY, RESTATED, CORRECTED = 0.12, 0.03, 0.04  # shares of the rows that may become such examples
WITH_NOISE = frozenset({"fever_dev", "fever_symmetric", "fm2", "check_covid", "liar_plus", "scifact", "anli"})
HELD_OUT = 0.03  # of the pack's rows, by their claims
MOST_HELD_OUT = 25  # rows of a set


class PackRow(msgspec.Struct, frozen=True):
    """Row of a set: a claim with evidence and a label. The fields are described at the top of this module.

    `label` is the index of the row's label in the entailment model's LABELS, or None.
    """

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
            return OF_VERDICT.get(self.verdict)
        return _OF_NLI.get(self.nli or "")

    @property
    def may_be_learned(self) -> bool:
        return self.split != TEST and not self.in_test_of

    @property
    def decisive(self) -> frozenset[str]:
        """Return the evidence texts that annotators marked as decisive; empty if they marked none."""
        return frozenset(one for one in self.rationale or () if isinstance(one, str))


def read_set(folder: Path, name: str) -> list[PackRow]:
    """Read all rows of one set, in file order. Raises InputError when its file is missing or invalid."""
    path = folder / f"{name}.jsonl.gz"
    if not path.is_file():
        raise InputError("no such set in the pack", path=path)
    return read_records(path, PackRow)


def learnable(rows: list[PackRow]) -> list[PackRow]:
    """Return the rows that may be trained on: not in any test split, with evidence and one of the three labels."""
    return [row for row in rows if row.may_be_learned and row.label is not None and row.evidence]


def reporting_rows(rows: list[PackRow]) -> list[PackRow]:
    """Return the rows of the set's test split with evidence and one of the three labels; they are never trained on."""
    return [row for row in rows if row.split == TEST and row.label is not None and row.evidence]


class PackSet(NamedTuple):
    """How a set of the inference pack is used for training.

    `most`: maximum number of rows that are drawn.
    `license`: the set's license.
    `other_evidence`: share of the rows that get another claim's evidence and become neutral, for sets with few neutral
    rows.
    """

    most: int
    license: str
    other_evidence: float = 0.0


SETS = {
    "mnli": PackSet(12_000, "OANC, CC BY 3.0, CC BY-SA 3.0, MIT"),
    "anli": PackSet(3_700, "CC BY-NC 4.0"),
    "snli": PackSet(2_500, "CC BY-SA 4.0"),
    "cad_snli": PackSet(3_500, "Apache-2.0"),
    "fever_dev": PackSet(7_000, "CC BY-SA 3.0", other_evidence=0.25),
    "fever_symmetric": PackSet(708, "CC BY-SA 3.0", other_evidence=0.1),
    "fm2": PackSet(1_200, "Apache-2.0", other_evidence=0.15),
    "check_covid": PackSet(1_300, "MIT"),
    "scifact": PackSet(500, "CC BY 4.0"),
    "liar_plus": PackSet(900, "CC0 1.0", other_evidence=0.2),
    "infotabs": PackSet(1_600, "Apache-2.0"),
    "strategyqa": PackSet(1_000, "MIT", other_evidence=0.2),
    "boolq": PackSet(800, "CC BY-SA 3.0", other_evidence=0.2),
    "conjnli": PackSet(1_500, "MIT"),
    "scitail": PackSet(1_000, "Apache-2.0"),
    "scone": PackSet(1_200, "CC0 1.0"),
    "help": PackSet(800, "CC BY-SA 4.0"),
    "tracie": PackSet(800, "Apache-2.0"),
    "citation_integrity": PackSet(200, "MIT"),
}


def pack_examples(folder: Path, share: float, seed: int, names: Iterable[str] = SETS) -> list[EntailmentExample]:
    """Return training examples from the data sets `names` of the inference pack.

    Of each data set, `share` times the number of rows given in SETS are drawn.

    Raises InputError when a set is missing or invalid.
    """
    return [example for name in names for example in _of_set(folder, name, SETS[name], share, seed)]


def held_out_examples(folder: Path, names: Iterable[str] = SETS) -> list[EntailmentExample]:
    """Return examples of the held-out claims of the named sets, unchanged; `pack_examples` does not use these claims.

    Raises InputError when a set is missing or invalid.
    """
    return [
        _plain(row)
        for name in names
        for row in [row for row in learnable(read_set(folder, name)) if is_held_out(row)][:MOST_HELD_OUT]
    ]


def _of_set(folder: Path, name: str, one: PackSet, share: float, seed: int) -> Iterator[EntailmentExample]:
    draw = Random(f"{seed}\n{name}")
    rows = [row for row in learnable(read_set(folder, name)) if not is_held_out(row)]
    chosen = draw.sample(rows, min(len(rows), round(one.most * share)))
    others = _Others(rows) if one.other_evidence or name in WITH_NOISE else None
    for row in chosen:
        chance = draw.random()
        if others is not None and chance < one.other_evidence:
            if other := others.of(row):
                yield EntailmentExample("other", (row.claim, [("", other[0])]), NEUTRAL)
        elif others is not None and name in WITH_NOISE and chance > 1 - NOISY - RESTATED - CORRECTED:
            yield _varied(row, others.of(row), 1 - chance, draw)
        else:
            yield _plain(row)


def _varied(row: PackRow, others: Sequence[str], chance: float, draw: Random) -> EntailmentExample:
    """Return a noisy, restated or corrected example of a row (see the top of this module).

    `others` is evidence of similar claims. `chance`, a random number below the sum of the three shares, picks the kind.
    """
    label, text = _label(row), window(row)
    if chance < RESTATED:
        return EntailmentExample("restated", (row.claim, [("", restated(row.claim, draw))]), NEUTRAL)
    if chance < RESTATED + CORRECTED and label != NEUTRAL:
        return EntailmentExample("corrected", (row.claim, [("", quoted_before(row.claim, text, draw))]), label)
    shown: list[TitledText] = [("", text), *(("", other) for other in others[: draw.randint(1, 2)])]
    draw.shuffle(shown)
    return EntailmentExample("noisy", (row.claim, shown), label)


def _plain(row: PackRow) -> EntailmentExample:
    return EntailmentExample("plain", (row.claim, [("", window(row))]), _label(row))


def _label(row: PackRow) -> int:
    assert row.label is not None
    return row.label


def is_held_out(row: PackRow) -> bool:
    """Return True if the row's claim is held out: no model is trained on it."""
    return number_of("pack", row.claim) < HELD_OUT


def window(row: PackRow) -> str:
    """Return the row's evidence as one passage of about `WINDOW` words; decisive texts have priority."""
    if sum(len(one.split()) for one in row.evidence) <= WINDOW:
        return " ".join(row.evidence)
    claim = {word.casefold() for word in words(row.claim) if word[0].isalnum()}

    def worth(place: int) -> tuple[bool, float]:
        text = row.evidence[place]
        return text not in row.decisive, -len(claim & {word.casefold() for word in text.split()})

    chosen: list[int] = []
    left = WINDOW
    for place in sorted(range(len(row.evidence)), key=worth):
        if (length := len(row.evidence[place].split())) <= left or not chosen:
            chosen.append(place)
            left -= length
    return " ".join(row.evidence[place] for place in sorted(chosen))


class _Others:
    """BM25 index of a set's claims; `of` returns the evidence of the claims most similar to a row's claim.

    Evidence that shares a text with the row's evidence is left out.
    """

    def __init__(self, rows: Sequence[PackRow]) -> None:
        self._rows = rows
        self._index = BM25.of(numbered_words([row.claim for row in rows]))

    def of(self, row: PackRow) -> list[str]:
        own = set(row.evidence)
        ranked = (self._rows[at] for at in self._index.top(words(row.claim), 12))
        near = [window(one) for one in ranked if one.claim != row.claim and not own & set(one.evidence)]
        return list(dict.fromkeys(near))[:3]
