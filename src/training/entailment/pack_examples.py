"""The training examples of an entailment model from the inference pack.

    plain      a row unchanged: its evidence as one passage
    other      a claim with the evidence of the most similar claim (BM25): neutral
    noisy      a row with one or two passages of other claims: the row's label
    restated   a claim with nothing but its repetition: neutral
    corrected  a row whose evidence first quotes the claim: the row's label

Evidence of more than `WINDOW` words is cut to the decisive texts, and then to the texts that share the most words with
the claim, in their order.

Limitations: the evidence of the most similar claim may by chance decide the claim.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from random import Random

from src.models.entailment import TitledText
from src.reranking.bm25 import BM25
from src.text import numbered_words, words
from src.training.entailment.examples import EntailmentExample
from src.training.entailment.pack import NEUTRAL, PackRow, learnable, read_set
from src.training.entailment.pack_sets import SETS, PackSet
from src.training.entailment.restated import quoted_before, restated
from src.training.split import number_of

WINDOW = 120  # words of evidence
NOISY, RESTATED, CORRECTED = 0.12, 0.03, 0.04  # shares of the rows that may become such examples
WITH_NOISE = frozenset({"fever_dev", "fever_symmetric", "fm2", "check_covid", "liar_plus", "scifact", "anli"})
HELD_OUT = 0.03  # of the pack's rows, by their claims
MOST_HELD_OUT = 25  # rows of a set


def pack_examples(folder: Path, share: float, seed: int, names: Iterable[str] = SETS) -> list[EntailmentExample]:
    """Return the examples of the named sets, `share` of their counts in SETS.

    Raises InputError when a set is missing or invalid.
    """
    return [example for name in names for example in _of_set(folder, name, SETS[name], share, seed)]


def held_out_examples(folder: Path, names: Iterable[str] = SETS) -> list[EntailmentExample]:
    """Return rows of the named sets unchanged, of claims that `pack_examples` leaves out.

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
    """Return a noisy, restated or corrected example. `chance` is below the sum of their shares."""
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
    """Return True if no model learns from the row's claim."""
    return number_of("pack", row.claim) < HELD_OUT


def window(row: PackRow) -> str:
    """Return the row's evidence as one passage of about `WINDOW` words."""
    if sum(len(one.split()) for one in row.evidence) <= WINDOW:
        return " ".join(row.evidence)
    claim = {word.casefold() for word in words(row.claim) if word[0].isalnum()}

    def worth(place: int) -> tuple[bool, float]:
        text = row.evidence[place]
        return text not in row.decisive, -len(claim & {word.casefold() for word in text.split()})

    kept: list[int] = []
    left = WINDOW
    for place in sorted(range(len(row.evidence)), key=worth):
        if (length := len(row.evidence[place].split())) <= left or not kept:
            kept.append(place)
            left -= length
    return " ".join(row.evidence[place] for place in sorted(kept))


class _Others:
    """An index of the claims of a set, for evidence of similar claims. Evidence that shares a text is left out."""

    def __init__(self, rows: Sequence[PackRow]) -> None:
        self._rows = rows
        self._index = BM25.of(numbered_words([row.claim for row in rows]))

    def of(self, row: PackRow) -> list[str]:
        own = set(row.evidence)
        found = (self._rows[at] for at in self._index.top(words(row.claim), 12))
        near = [window(one) for one in found if one.claim != row.claim and not own & set(one.evidence)]
        return list(dict.fromkeys(near))[:3]
