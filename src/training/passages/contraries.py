"""Invented pairs of contrary claims, each pair with four pages of the same form.

A page that supports one claim refutes the other, so a model must read claim and page. The shown page decides the label:

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

import msgspec

from src.errors import InputError
from src.records import Verdict
from src.stance.records import SIDE_OF, Passage
from src.store import located, read_bytes
from src.text import same
from src.training.passages.mixed import CONTRARIES, ClaimWithPassages, Others, among, topic_files
from src.training.split import number_of

HELD_OUT = 0.1  # of the pairs, by their first claims
_TEXTS = ("claim", "contrary", "claim_page", "contrary_page", "open_page", "divided_page")
FIRST = (Verdict.SUPPORTED, Verdict.REFUTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
SECOND = (Verdict.REFUTED, Verdict.SUPPORTED, Verdict.NOT_ENOUGH_EVIDENCE, Verdict.CONFLICTING)
"""The labels of a pair's claim (FIRST) and of its contrary (SECOND) with each of the four pages, in their order."""
EVERY = 3  # one pair in three is shown among others


class Contraries(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pair of contrary claims with its pages.

    `kind`: what a reader must understand to tell them apart.
    `claim`, `contrary`: the two claims.
    `claim_page`: page that shows that `claim` is true and `contrary` is false.
    `contrary_page`: page that shows that `contrary` is true and `claim` is false.
    `open_page`: page that decides neither.
    `divided_page`: page that gives reasons for both.
    """

    kind: str
    claim: str
    contrary: str
    claim_page: str
    contrary_page: str
    open_page: str
    divided_page: str

    @property
    def pages(self) -> tuple[str, str, str, str]:
        """Return the four pages, in the order of the fields."""
        return self.claim_page, self.contrary_page, self.open_page, self.divided_page


def contraries_files(folder: Path) -> dict[str, Path]:
    """Return the files of contrary claims in a folder, by their names in manifests: `contraries_<topic>`.

    Raises InputError when there are none.
    """
    return topic_files(folder, "contraries")


def read_contraries(folder: Path) -> list[Contraries]:
    """Read the pairs of contrary claims of all files in a folder. Raises InputError when one is invalid."""
    return [
        _checked(one, path, line)
        for path in contraries_files(folder).values()
        for line, one in located(read_bytes(path), Contraries, path)
    ]


def is_held_out(pair: Contraries) -> bool:
    """Return True if the pair is held out: no model is trained on it."""
    return number_of("contraries", pair.claim) < HELD_OUT


def _checked(one: Contraries, path: Path, line: int) -> Contraries:
    """Return the pair of claims unchanged; raise InputError if one of its texts is empty or two pages are equal."""
    for name in _TEXTS:
        if not getattr(one, name).strip():
            raise InputError("is empty", path=path, line=line, field=name)
    if len(set(one.pages)) < len(one.pages):
        raise InputError("two pages have the same text", path=path, line=line)
    return one


def contrary_passages(folder: Path, *, held_out: bool = True) -> list[ClaimWithPassages]:
    """Return the claims of each pair with a single page: the claim with each page, the contrary with the decisive ones.

    `held_out` selects the held-out pairs (the default), otherwise those to train on. Raises InputError when a file is
    invalid.
    """
    return [claim for pair in _pairs(folder, held_out=held_out) for claim in _alone(pair)]


def contrary_claims(folder: Path, seed: int, *, held_out: bool = True) -> list[ClaimWithPassages]:
    """Return a claim of every third pair, with one page of the pair among pages of other pairs.

    From pair to pair, the four pages take turns, so labels are about equally frequent. `held_out` selects the held-out
    pairs (the default), otherwise those to train on. Raises InputError when a file is invalid.
    """
    pairs = _pairs(folder, held_out=held_out)
    others = Others((pair.claim, Passage(page)) for pair in pairs for page in pair.pages)
    claims = []
    for place, pair in enumerate(pairs[::EVERY]):
        draw = Random(f"{seed}\n{pair.claim}")
        own = _with_pages(pair, *draw.choice(((pair.claim, FIRST), (pair.contrary, SECOND))))[place % len(FIRST)]
        claims.append(among(own, _foreign(others, own, pair), draw))
    return claims


def _pairs(folder: Path, *, held_out: bool) -> list[Contraries]:
    return [pair for pair in read_contraries(folder) if is_held_out(pair) is held_out]


def _alone(pair: Contraries) -> list[ClaimWithPassages]:
    """Return the pair's claim with each of the four pages as its only passage, and the contrary claim with two of them.

    These two are the pages that decide it: `claim_page` and `contrary_page`, each as its only passage.
    """
    decided = [one for one in _with_pages(pair, pair.contrary, SECOND) if one.label in SIDE_OF]
    return [*_with_pages(pair, pair.claim, FIRST), *decided]


def _with_pages(pair: Contraries, claim: str, labels: Sequence[Verdict]) -> list[ClaimWithPassages]:
    """Return a claim of the pair once with each page; `labels` are its labels with these pages."""
    return [
        ClaimWithPassages(CONTRARIES, same(pair.claim), claim, [Passage(page)], label)
        for page, label in zip(pair.pages, labels, strict=True)
    ]


def _foreign(others: Others, own: ClaimWithPassages, pair: Contraries) -> Sequence[Passage]:
    return [passage for passage in others.of(own) if passage.text not in pair.pages]
