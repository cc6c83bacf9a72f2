"""Claims as a pipeline meets them: the passages that decide among others, with repetitions of the claim, or left out.

    AVeriTeC   claims of train: gold answers as passages, among gold answers of the most similar other claims
    retrieved  claims of train with what a system retrieved for them
    pack       rows of public sets: their evidence among evidence of the most similar other claims

A share of AVeriTeC's claims (`LEFT_OUT`) comes without the evidence that decides: their label is then Not Enough
Evidence. The pack has such rows of its own. A share of both (`RESTATED`) has a passage that repeats the claim. Where
rows of the pack support and refute one claim, the claim with both is one with conflicting evidence (`BOTH_SIDES`).

A verdict model is trained on claims of the training part, the stacker fitted on held-out ones.

Limitations: distractors are evidence of other claims; nothing stands around a gold answer, for pages of train are not
published with the answers.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random

import msgspec

from src.evaluation.averitec import NO_ANSWER
from src.evaluation.gold_pairs import gold_pairs
from src.records import VERDICTS, Claim, QAPair, Verdict
from src.reranking.other_claims import OtherClaims
from src.stance.records import Passage
from src.stance.stacker import MOST, passages_of
from src.text import same
from src.training.entailment.pack import PackRow, learnable, read_set
from src.training.entailment.pack_examples import is_held_out, window
from src.training.entailment.restated import restated
from src.training.retrieved import Pairs
from src.training.split import number_of

LEFT_OUT, RESTATED = 0.2, 0.3
FEWEST, MORE = 2, 6  # passages of other claims
NEAR = 12  # of the nearest ones, from which they are drawn
MOST_ROWS = 120  # of a set of the pack
PACK_SETS = ("fever_dev", "fever_symmetric", "fm2", "check_covid", "scifact", "liar_plus", "anli")
BOTH_SIDES = ("fever_symmetric", "cad_snli")  # sets with claims that one row supports and another refutes
AVERITEC, RETRIEVED, PACK = "AVeriTeC", "retrieved", "pack"


class MetClaim(msgspec.Struct, frozen=True):
    """`part` is one of the three; `key` is the same for all variants of one claim."""

    part: str
    key: str
    claim: str
    passages: list[Passage]
    label: Verdict


class Others:
    """Passages of other claims, found by their likeness to a claim; `owned` are claims, each with a passage.

    Claims that share half of their words with a claim may be decided by the same evidence: theirs is left aside.
    """

    def __init__(self, owned: Iterable[tuple[str, Passage]]) -> None:
        self._pool = list(owned)
        self._others = OtherClaims((claim, passage.text) for claim, passage in self._pool)

    def of(self, claim: MetClaim) -> list[Passage]:
        """Return the nearest passages of other claims, none that the claim has itself."""
        texts = {passage.text for passage in claim.passages}
        ranked = (self._pool[place][1] for place in self._others.nearest(claim.claim, 4 * NEAR))
        return [one for one in ranked if one.text not in texts][:NEAR]


def averitec_claims(
    claims: Sequence[Claim], everyone: Sequence[Claim], seed: int, left_out: float = LEFT_OUT
) -> list[MetClaim]:
    """Return a variant of every labeled claim with evidence, a share `left_out` of them without what decides.

    Distractors are gold answers of `everyone` else.
    """
    others = Others((one.claim, passage) for one in everyone for passage in _gold(one))
    found = []
    for claim in claims:
        if claim.label is not None and claim.questions:
            draw = Random(f"{seed}\n{same(claim.claim)}")
            whole = MetClaim(AVERITEC, same(claim.claim), claim.claim, _gold(claim), claim.label)
            found.append(_among(whole, others.of(whole), draw, left_out))
    return [one for one in found if one.passages]


def retrieved_claims(claims: Sequence[Claim], retrieved: Mapping[int, Pairs]) -> list[MetClaim]:
    """Return the claims for which a system retrieved something, with all of it."""
    return [
        MetClaim(
            RETRIEVED,
            same(claim.claim),
            claim.claim,
            [Passage(text) for _, text in retrieved[claim.claim_id][:MOST]],
            claim.label,
        )
        for claim in claims
        if claim.label is not None and retrieved.get(claim.claim_id)
    ]


def pack_claims(folder: Path, seed: int, most: int = MOST_ROWS, *, held_out: bool = True) -> list[MetClaim]:
    """Return rows of the pack as claims among others, `most` of a set, held out or to train on. Raises InputError."""
    found = [claim for name in PACK_SETS for claim in _of_set(folder, name, seed, most, held_out)]
    return found if held_out else found + both_sides(folder, seed, most)


def both_sides(folder: Path, seed: int, most: int) -> list[MetClaim]:
    """Return claims to train on that one row supports and another refutes, `most` of a set. Raises InputError."""
    return [claim for name in BOTH_SIDES for claim in _both_sides(folder, name, seed, most)]


def _of_set(folder: Path, name: str, seed: int, most: int, held_out: bool) -> Iterator[MetClaim]:
    rows = [row for row in read_set(folder, name) if row.may_be_learned and row.evidence and row.verdict is not None]
    others = Others((row.claim, Passage(window(row))) for row in rows)
    draw = Random(f"{seed}\n{name}")
    own_part = [row for row in rows if _is_held_out(row) is held_out]
    for row in draw.sample(own_part, min(most, len(own_part))):
        assert row.verdict is not None
        near = others.of(MetClaim(PACK, same(row.claim), row.claim, [Passage(window(row))], row.verdict))
        yield _among(MetClaim(PACK, same(row.claim), row.claim, _pieces(row), row.verdict), near, draw)


def _is_held_out(row: PackRow) -> bool:
    """Return True if no model learns from the row; half of the few rows with conflicting evidence are held out."""
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
        yield _among(whole, others.of(whole), draw)


def _among(claim: MetClaim, near: Sequence[Passage], draw: Random, left_out: float = 0.0) -> MetClaim:
    """Return the claim with its passages among some of `near`; without its own in a share `left_out` of cases, and
    where it has none.
    """
    is_left_out = bool(near) and (not claim.passages or draw.random() < left_out)
    shown = [] if is_left_out else claim.passages[:MOST]
    more = min(len(near), draw.randint(FEWEST, MORE), max(0, MOST - 1 - len(shown)))
    shown += draw.sample(list(near), max(more, 1 if is_left_out else 0))
    if draw.random() < RESTATED and len(shown) < MOST:
        shown.append(Passage(restated(claim.claim, draw)))
    draw.shuffle(shown)
    label = Verdict.NOT_ENOUGH_EVIDENCE if is_left_out else claim.label
    return msgspec.structs.replace(claim, passages=shown, label=label)


def _gold(claim: Claim) -> list[Passage]:
    """Return the gold answers as passages, without those which say that no answer was found."""
    return passages_of([QAPair(*pair) for pair in gold_pairs(claim) if not pair[1].startswith(NO_ANSWER)])


def _pieces(row: PackRow) -> list[Passage]:
    """Return the evidence as passages of about two sentences."""
    text = window(row)
    if len(row.evidence) < 3 or not all(one in text for one in row.evidence):
        return [Passage(text)]
    return [Passage(" ".join(row.evidence[at : at + 2])) for at in range(0, len(row.evidence), 2)]


def labels_of(claims: Sequence[MetClaim]) -> list[int]:
    """Return the places of the labels among the four verdicts."""
    return [VERDICTS.index(one.label) for one in claims]
