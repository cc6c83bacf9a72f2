"""Written pairs of contrary claims as claims with passages. The shown page decides the label.

    Supported            the page for the claim
    Refuted              the page for its contrary
    Not Enough Evidence  the page that decides neither
    Conflicting          the page that gives reasons for both

Every page is shown alone with the claim. The two decisive pages are also shown alone with the contrary. For every third
pair, one page is shown among pages of the most similar other pairs.
"""

from collections.abc import Sequence
from pathlib import Path
from random import Random

from src.records import Verdict
from src.stance.records import SIDE_OF, Passage
from src.text import same
from src.training.as_met.among import Others, among
from src.training.as_met.records import CONTRARIES, MetClaim
from src.training.contraries.read import is_held_out, read_contraries
from src.training.contraries.records import Contraries

FIRST = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
SECOND = (Verdict.REFUTED, Verdict.SUPPORTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
"""The labels of a pair's claim, and of its contrary, by its four pages."""
EVERY = 3  # one pair in three is shown among others


def contrary_passages(folder: Path, *, held_out: bool = True) -> list[MetClaim]:
    """Return the claims of each pair with single pages. Raises InputError when a file is invalid."""
    return [claim for pair in _pairs(folder, held_out=held_out) for claim in _alone(pair)]


def contrary_claims(folder: Path, seed: int, *, held_out: bool = True) -> list[MetClaim]:
    """Return a claim of every third pair with one of its pages among pages of other pairs.

    The pages of a pair take turns, so labels are about equally frequent. Raises InputError when a file is invalid.
    """
    pairs = _pairs(folder, held_out=held_out)
    others = Others((pair.claim, Passage(page)) for pair in pairs for page in pair.pages)
    found = []
    for place, pair in enumerate(pairs[::EVERY]):
        draw = Random(f"{seed}\n{pair.claim}")
        own = _with_pages(pair, *draw.choice(((pair.claim, FIRST), (pair.contrary, SECOND))))[place % len(FIRST)]
        found.append(among(own, _foreign(others, own, pair), draw))
    return found


def _pairs(folder: Path, *, held_out: bool) -> list[Contraries]:
    return [pair for pair in read_contraries(folder) if is_held_out(pair) is held_out]


def _alone(pair: Contraries) -> list[MetClaim]:
    decided = [one for one in _with_pages(pair, pair.contrary, SECOND) if one.label in SIDE_OF]
    return [*_with_pages(pair, pair.claim, FIRST), *decided]


def _with_pages(pair: Contraries, claim: str, labels: Sequence[Verdict]) -> list[MetClaim]:
    return [
        MetClaim(CONTRARIES, same(pair.claim), claim, [Passage(page)], label)
        for page, label in zip(pair.pages, labels, strict=True)
    ]


def _foreign(others: Others, own: MetClaim, pair: Contraries) -> Sequence[Passage]:
    return [passage for passage in others.of(own) if passage.text not in pair.pages]
