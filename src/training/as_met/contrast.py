"""Held-out rows of public sets with evidence changed in one place. The four labels are equally frequent.

    Supported            the unchanged evidence
    Refuted              the evidence with a name or number of the claim swapped
    Conflicting          both, as if two pages disagreed
    Not Enough Evidence  the evidence without the sentences that have the name or number, or none

The passages are mixed with evidence of other claims of the set.

Limitations: other claims about the same evidence may have been learned from.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from src.records import VERDICTS, Verdict
from src.stance.records import Passage
from src.text import same
from src.training.as_met.among import Others, among
from src.training.as_met.records import CONTRAST, MetClaim
from src.training.entailment.contrast.read_rows import names_by_kind, read_rows
from src.training.entailment.contrast.swap import Swap, swap_of
from src.training.entailment.pack import ENTAILED, learnable, read_set
from src.training.entailment.pack_examples import is_held_out

CONTRAST_SETS = ("fever_dev", "fever_symmetric", "fm2", "check_covid", "scifact", "liar_plus", "infotabs", "anli")
MOST_CLAIMS = 40  # of a set


def contrast_claims(folder: Path, seed: int) -> list[MetClaim]:
    """Return held-out claims of the pack with changed evidence.

    Raises InputError when a set is missing or invalid, MissingExtra when spaCy's model is not installed.
    """
    return [claim for name in CONTRAST_SETS for claim in islice(_of_set(folder, name, seed), MOST_CLAIMS)]


def _of_set(folder: Path, name: str, seed: int) -> Iterator[MetClaim]:
    draw = Random(f"{seed}\n{name}\ncontrast as met")
    swaps = _swaps(folder, name, draw)
    others = Others((one.claim, Passage(one.evidence)) for one in swaps)
    for place, one in enumerate(swaps):
        label = VERDICTS[place % len(VERDICTS)]
        own = MetClaim(CONTRAST, same(one.claim), one.claim, _shown(one, label), label)
        yield among(own, others.of(own), draw)


def _swaps(folder: Path, name: str, draw: Random) -> list[Swap]:
    """Return the held-out supported rows of a set that can be changed, in random order."""
    rows = [row for row in learnable(read_set(folder, name)) if row.label == ENTAILED and is_held_out(row)]
    read = read_rows(draw.sample(rows, len(rows)))
    pool = names_by_kind(read)
    found = [swap_of(one, pool, draw, also_subjects=False) for one in read]
    return [one for one in found if one is not None]


def _shown(one: Swap, label: Verdict) -> list[Passage]:
    texts = {
        Verdict.SUPPORTED: [one.evidence],
        Verdict.REFUTED: [one.changed_evidence],
        Verdict.CONFLICTING: [one.evidence, one.changed_evidence],
        Verdict.NOT_ENOUGH_EVIDENCE: [one.cut] if one.cut else [],
    }
    return [Passage(text) for text in texts[label]]
