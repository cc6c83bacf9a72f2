"""Claims of the inference pack, with their evidence mixed with evidence of other claims of the same set.

The pack itself has rows with the label Not Enough Evidence. If one row supports a claim and another row refutes it, the
claim with the evidence of both rows is an example of conflicting evidence.

Held-out rows are also shown with evidence changed in one place. The four labels are then equally frequent:

    Supported            the unchanged evidence
    Refuted              the evidence with a name or number of the claim swapped
    Conflicting          both, as if two pages disagreed
    Not Enough Evidence  the evidence without the sentences that have the name or number, or none

Limitations: distractors may be evidence of held-out rows; the claims and labels of these rows are not used. Other
claims about the same evidence may have been learned from.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

from src.records import VERDICTS, Verdict
from src.stance.records import Passage
from src.text import same
from src.training.entailment.contrast_pairs import Swap, names_by_kind, read_rows, swap_of
from src.training.entailment.examples import ENTAILED
from src.training.entailment.pack import PackRow, is_held_out, learnable, read_set, window
from src.training.passages.mixed import CONTRAST, PACK, ClaimWithPassages, Others, among
from src.training.split import number_of

MOST_ROWS = 120  # of a set
PACK_SETS = ("fever_dev", "fever_symmetric", "fm2", "check_covid", "scifact", "liar_plus", "anli")
BOTH_SIDES = ("fever_symmetric", "cad_snli")  # sets with claims that one row supports and another refutes

CONTRAST_SETS = ("fever_dev", "fever_symmetric", "fm2", "check_covid", "scifact", "liar_plus", "infotabs", "anli")
MOST_CLAIMS = 40  # of a set


def pack_claims(folder: Path, seed: int, most: int = MOST_ROWS, *, held_out: bool = True) -> list[ClaimWithPassages]:
    """Return rows of the inference pack as claims, each with its passages among passages of other claims.

    At most `most` rows of each set are returned: held-out rows by default, training rows if `held_out` is False. Claims
    with conflicting evidence (`both_sides`) are added to training rows. Raises InputError when a set is missing or
    invalid.
    """
    claims = [claim for name in PACK_SETS for claim in _of_set(folder, name, seed, most, held_out)]
    return claims if held_out else claims + both_sides(folder, seed, most)


def both_sides(folder: Path, seed: int, most: int) -> list[ClaimWithPassages]:
    """Return training claims with conflicting evidence: one row supports the claim, another refutes it.

    At most `most` claims of each set are drawn.

    Raises InputError when a set is missing or invalid.
    """
    return [claim for name in BOTH_SIDES for claim in _both_sides(folder, name, seed, most)]


def _of_set(folder: Path, name: str, seed: int, most: int, held_out: bool) -> Iterator[ClaimWithPassages]:
    rows = [row for row in read_set(folder, name) if row.may_be_learned and row.evidence and row.verdict is not None]
    others = Others((row.claim, Passage(window(row))) for row in rows)
    draw = Random(f"{seed}\n{name}")
    own_part = [row for row in rows if _is_held_out(row) is held_out]
    for row in draw.sample(own_part, min(most, len(own_part))):
        assert row.verdict is not None
        near = others.of(ClaimWithPassages(PACK, same(row.claim), row.claim, [Passage(window(row))], row.verdict))
        yield among(ClaimWithPassages(PACK, same(row.claim), row.claim, _pieces(row), row.verdict), near, draw)


def _is_held_out(row: PackRow) -> bool:
    """Return True if the row is held out. Of the few rows with conflicting evidence, about half are held out."""
    if row.verdict is Verdict.CONFLICTING:
        return is_held_out(row) or number_of("conflicting", row.claim) < 0.5
    return is_held_out(row)


def _both_sides(folder: Path, name: str, seed: int, most: int) -> Iterator[ClaimWithPassages]:
    rows = [row for row in learnable(read_set(folder, name)) if not is_held_out(row)]
    others = Others((row.claim, Passage(window(row))) for row in rows)
    draw = Random(f"{seed}\n{name}\nboth sides")
    by_claim: dict[str, dict[Verdict, Passage]] = {}
    for row in rows:
        if row.verdict in (Verdict.SUPPORTED, Verdict.REFUTED):
            by_claim.setdefault(row.claim, {})[row.verdict] = Passage(window(row))
    both = [(claim, [*sides.values()]) for claim, sides in by_claim.items() if len(sides) > 1]
    for claim, own in draw.sample(both, min(most, len(both))):
        whole = ClaimWithPassages(PACK, same(claim), claim, own, Verdict.CONFLICTING)
        yield among(whole, others.of(whole), draw)


def _pieces(row: PackRow) -> list[Passage]:
    """Return a row's evidence as passages of about two sentences."""
    text = window(row)
    if len(row.evidence) < 3 or not all(one in text for one in row.evidence):
        return [Passage(text)]
    return [Passage(" ".join(row.evidence[at : at + 2])) for at in range(0, len(row.evidence), 2)]


def contrast_claims(folder: Path, seed: int) -> list[ClaimWithPassages]:
    """Return held-out claims of the inference pack whose evidence is changed in one place (see the top of this module).

    Raises InputError when a set is missing or invalid, MissingExtra when spaCy's model is not installed.
    """
    return [claim for name in CONTRAST_SETS for claim in islice(_changed_of_set(folder, name, seed), MOST_CLAIMS)]


def _changed_of_set(folder: Path, name: str, seed: int) -> Iterator[ClaimWithPassages]:
    draw = Random(f"{seed}\n{name}\ncontrast as met")
    swaps = _swaps(folder, name, draw)
    others = Others((one.claim, Passage(one.evidence)) for one in swaps)
    for place, one in enumerate(swaps):
        label = VERDICTS[place % len(VERDICTS)]
        own = ClaimWithPassages(CONTRAST, same(one.claim), one.claim, _shown(one, label), label)
        yield among(own, others.of(own), draw)


def _swaps(folder: Path, name: str, draw: Random) -> list[Swap]:
    """Return replacements for the held-out, supported rows of a set that can be changed, in random order."""
    rows = [row for row in learnable(read_set(folder, name)) if row.label == ENTAILED and is_held_out(row)]
    read = read_rows(draw.sample(rows, len(rows)))
    pool = names_by_kind(read)
    swaps = [swap_of(one, pool, draw, also_subjects=False) for one in read]
    return [one for one in swaps if one is not None]


def _shown(one: Swap, label: Verdict) -> list[Passage]:
    texts = {
        Verdict.SUPPORTED: [one.evidence],
        Verdict.REFUTED: [one.changed_evidence],
        Verdict.CONFLICTING: [one.evidence, one.changed_evidence],
        Verdict.NOT_ENOUGH_EVIDENCE: [one.cut] if one.cut else [],
    }
    return [Passage(text) for text in texts[label]]
