"""AVeriTeC claims with passages as a pipeline finds them: gold answers mixed with others, or retrieved passages.

The decisive passages may be left out, which makes the label Not Enough Evidence. Some claims also get a passage that
only repeats them.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TypeVar

import msgspec

from src.errors import InputError
from src.evaluation.averitec import NO_ANSWER, gold_pairs
from src.records import VERDICTS, Claim, QAPair, Verdict
from src.reranking.other_claims import OtherClaims
from src.stance.records import Passage
from src.stance.stacker import MOST, passages_of
from src.text import same
from src.training.entailment.examples import restated
from src.training.retrieved import Pairs

AVERITEC, RETRIEVED, PACK, CONTRAST = "AVeriTeC", "retrieved", "pack", "contrast"
SCENARIOS, CONTRARIES = "scenarios", "contraries"


Item = TypeVar("Item")

RESTATED = 0.3  # share of claims with a passage that repeats the claim
FEWEST, MORE = 2, 6  # the fewest and the most passages of other claims
NEAR = 12  # nearest passages, from which they are drawn
LEFT_OUT = 0.2  # share of claims without the decisive evidence: Not Enough Evidence


class ClaimWithPassages(msgspec.Struct, frozen=True):
    """A claim with passages.

    `part`: kind of its evidence, one of the six constants of this module.
    `key`: identifier that all variants of a claim share.
    `claim`: text of the claim.
    `passages`: the passages that a model reads.
    `label`: the verdict that the passages give.
    """

    part: str
    key: str
    claim: str
    passages: list[Passage]
    label: Verdict


def labels_of(claims: Sequence[ClaimWithPassages]) -> list[int]:
    """Return each claim's label as an index into the four verdicts."""
    return [VERDICTS.index(one.label) for one in claims]


def drawn(items: Sequence[Item], most: int | None, seed: int) -> list[Item]:
    """Draw `most` of the items at random, and return them in their order.

    All items are returned if `most` is None or there are no more than `most`.
    """
    if most is None or len(items) <= most:
        return list(items)
    return [items[place] for place in sorted(Random(f"{seed}\ndrawn").sample(range(len(items)), most))]


def topic_files(folder: Path, kind: str) -> dict[str, Path]:
    """Return the files `<topic>.jsonl` of a folder by their names in manifests: `<kind>_<topic>`.

    Raises InputError when there are none.
    """
    files = {f"{kind}_{path.stem}": path for path in sorted(folder.glob("*.jsonl"))}
    if not files:
        raise InputError(f"has no {kind} (*.jsonl)", path=folder)
    return files


class Others:
    """Index of the passages of many claims, for distractors: passages of claims that are similar to a claim.

    `owned` has pairs of a claim and one of its passages.
    """

    def __init__(self, owned: Iterable[tuple[str, Passage]]) -> None:
        self._pool = list(owned)
        self._others = OtherClaims((claim, passage.text) for claim, passage in self._pool)

    def of(self, claim: ClaimWithPassages) -> list[Passage]:
        """Return up to NEAR passages of other claims, those most similar to a claim first.

        Claims that share half of their words with the claim are left out, because their passages may decide it. Texts
        of the claim's own passages are left out too.
        """
        texts = {passage.text for passage in claim.passages}
        ranked = (self._pool[place][1] for place in self._others.nearest(claim.claim, 4 * NEAR))
        return [one for one in ranked if one.text not in texts][:NEAR]


def among(claim: ClaimWithPassages, near: Sequence[Passage], draw: Random, left_out: float = 0.0) -> ClaimWithPassages:
    """Return a claim with its passages mixed with some of the distractors `near`.

    `left_out` is the probability that the claim's own passages are left out; by default they are all shown. Without
    passages of its own, the claim gets the label Not Enough Evidence.
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


def averitec_claims(
    claims: Sequence[Claim], everyone: Sequence[Claim], seed: int, left_out: float = LEFT_OUT
) -> list[ClaimWithPassages]:
    """Return every labeled claim that has questions, with its gold answers mixed with those of similar claims.

    `everyone`: the claims whose gold answers serve as distractors.
    `left_out`: probability that a claim's own answers are left out; its label is then Not Enough Evidence.
    """
    others = Others((one.claim, passage) for one in everyone for passage in _gold(one))
    mixed = []
    for claim in claims:
        if claim.label is not None and claim.questions:
            draw = Random(f"{seed}\n{same(claim.claim)}")
            whole = ClaimWithPassages(AVERITEC, same(claim.claim), claim.claim, _gold(claim), claim.label)
            mixed.append(among(whole, others.of(whole), draw, left_out))
    return [one for one in mixed if one.passages]


def retrieved_claims(claims: Sequence[Claim], retrieved: Mapping[int, Pairs]) -> list[ClaimWithPassages]:
    """Return the labeled claims for which a system retrieved passages, each with its first `MOST` passages."""
    return [
        ClaimWithPassages(
            RETRIEVED,
            same(claim.claim),
            claim.claim,
            [Passage(text) for _, text in retrieved[claim.claim_id][:MOST]],
            claim.label,
        )
        for claim in claims
        if claim.label is not None and retrieved.get(claim.claim_id)
    ]


def _gold(claim: Claim) -> list[Passage]:
    """Return a claim's gold answers as passages, except answers that say that no answer was found."""
    return passages_of([QAPair(*pair) for pair in gold_pairs(claim) if not pair[1].startswith(NO_ANSWER)])
