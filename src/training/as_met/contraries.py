"""Written pairs of contrary claims as claims with passages: the page that is shown decides the label.

    Supported            the page for the claim
    Refuted              the page for its contrary
    Not Enough Evidence  the page that settles neither
    Conflicting          the page that gives reasons for both

Every page is shown alone, with either claim, and among pages of the most similar other pairs, with one of them.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from src.records import Verdict
from src.stance.records import Passage
from src.text import same
from src.training.as_met.among import Others, among
from src.training.as_met.records import CONTRARIES, MetClaim
from src.training.contraries.read import is_held_out, read_contraries
from src.training.contraries.records import Contraries

FIRST = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
SECOND = (Verdict.REFUTED, Verdict.SUPPORTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
"""The labels of a pair's claim, and of its contrary, by its four pages."""


def contrary_passages(folder: Path, *, held_out: bool = True) -> list[MetClaim]:
    """Return both claims of each pair with each of its pages alone. Raises InputError."""
    return [claim for pair in _pairs(folder, held_out=held_out) for claim in _alone(pair)]


def contrary_claims(folder: Path, seed: int, *, held_out: bool = True) -> list[MetClaim]:
    """Return one claim of each pair with one of its pages among pages of other pairs, each label as often.

    Raises InputError.
    """
    pairs = _pairs(folder, held_out=held_out)
    others = Others((pair.claim, Passage(page)) for pair in pairs for page in pair.pages)
    found = []
    for place, pair in enumerate(pairs):
        draw = Random(f"{seed}\n{pair.claim}")
        of_first, of_second = _alone(pair)[:4], _alone(pair)[4:]
        own = draw.choice((of_first, of_second))[place % len(pair.pages)]
        found.append(among(own, _foreign(others, own, pair), draw))
    return found


def _pairs(folder: Path, *, held_out: bool) -> list[Contraries]:
    return [pair for pair in read_contraries(folder) if is_held_out(pair) is held_out]


def _alone(pair: Contraries) -> list[MetClaim]:
    """Return the claim with each page, then its contrary with each page."""
    return [
        MetClaim(CONTRARIES, same(pair.claim), claim, [Passage(page)], label)
        for claim, labels in ((pair.claim, FIRST), (pair.contrary, SECOND))
        for page, label in zip(pair.pages, labels, strict=True)
    ]


def _foreign(others: Others, own: MetClaim, pair: Contraries) -> Sequence[Passage]:
    return [passage for passage in others.of(own) if passage.text not in pair.pages]
