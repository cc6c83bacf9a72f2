"""Rows of public sets as claims, with their evidence among that of other claims of the set.

The pack itself has rows with the label Not Enough Evidence. If one row supports a claim and another refutes it, the
claim with both is an example of conflicting evidence.

Limitations: distractors may be evidence of held-out rows. The claims and labels of these rows are not used.
"""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from src.records import Verdict
from src.stance.records import Passage
from src.text import same
from src.training.as_met.among import Others, among
from src.training.as_met.records import PACK, MetClaim
from src.training.entailment.pack import PackRow, learnable, read_set
from src.training.entailment.pack_examples import is_held_out, window
from src.training.split import number_of

MOST_ROWS = 120  # of a set
PACK_SETS = ("fever_dev", "fever_symmetric", "fm2", "check_covid", "scifact", "liar_plus", "anli")
BOTH_SIDES = ("fever_symmetric", "cad_snli")  # sets with claims that one row supports and another refutes


def pack_claims(folder: Path, seed: int, most: int = MOST_ROWS, *, held_out: bool = True) -> list[MetClaim]:
    """Return rows of the pack as claims with distractors, `most` of each set, held out or to train on.

    Raises InputError when a set is missing or invalid.
    """
    found = [claim for name in PACK_SETS for claim in _of_set(folder, name, seed, most, held_out)]
    return found if held_out else found + both_sides(folder, seed, most)


def both_sides(folder: Path, seed: int, most: int) -> list[MetClaim]:
    """Return claims to train on that one row supports and another refutes, `most` of each set.

    Raises InputError when a set is missing or invalid.
    """
    return [claim for name in BOTH_SIDES for claim in _both_sides(folder, name, seed, most)]


def _of_set(folder: Path, name: str, seed: int, most: int, held_out: bool) -> Iterator[MetClaim]:
    rows = [row for row in read_set(folder, name) if row.may_be_learned and row.evidence and row.verdict is not None]
    others = Others((row.claim, Passage(window(row))) for row in rows)
    draw = Random(f"{seed}\n{name}")
    own_part = [row for row in rows if _is_held_out(row) is held_out]
    for row in draw.sample(own_part, min(most, len(own_part))):
        assert row.verdict is not None
        near = others.of(MetClaim(PACK, same(row.claim), row.claim, [Passage(window(row))], row.verdict))
        yield among(MetClaim(PACK, same(row.claim), row.claim, _pieces(row), row.verdict), near, draw)


def _is_held_out(row: PackRow) -> bool:
    """Return True if no model learns from the row. Half of the few rows with conflicting evidence are held out."""
    if row.verdict is Verdict.CONFLICTING:
        return is_held_out(row) or number_of("conflicting", row.claim) < 0.5
    return is_held_out(row)


def _both_sides(folder: Path, name: str, seed: int, most: int) -> Iterator[MetClaim]:
    rows = [row for row in learnable(read_set(folder, name)) if not is_held_out(row)]
    others = Others((row.claim, Passage(window(row))) for row in rows)
    draw = Random(f"{seed}\n{name}\nboth sides")
    by_claim: dict[str, dict[Verdict, Passage]] = {}
    for row in rows:
        if row.verdict in (Verdict.SUPPORTED, Verdict.REFUTED):
            by_claim.setdefault(row.claim, {})[row.verdict] = Passage(window(row))
    both = [(claim, [*found.values()]) for claim, found in by_claim.items() if len(found) > 1]
    for claim, own in draw.sample(both, min(most, len(both))):
        whole = MetClaim(PACK, same(claim), claim, own, Verdict.CONFLICTING)
        yield among(whole, others.of(whole), draw)


def _pieces(row: PackRow) -> list[Passage]:
    """Return the evidence as passages of about two sentences."""
    text = window(row)
    if len(row.evidence) < 3 or not all(one in text for one in row.evidence):
        return [Passage(text)]
    return [Passage(" ".join(row.evidence[at : at + 2])) for at in range(0, len(row.evidence), 2)]
