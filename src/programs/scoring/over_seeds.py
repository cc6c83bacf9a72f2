"""Scores of a baseline that is trained once a seed, each time on other examples: the spread of its macro-F1.

ProgramFC, appendix A.1: pre-trained encoders are trained on 20 examples, and the mean of 10 seeds is reported.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from src.claims.labelled import LabelledClaim
from src.evaluation.bootstrap import once
from src.evaluation.tables import table
from src.programs.records import ClaimTrace
from src.programs.scoring import lexical_novelty
from src.programs.scoring.floors import Floors, Spread, floors
from src.programs.scoring.groups import by_hops
from src.programs.scoring.tables import READING, floor_lines, percent, spread_of
from src.programs.scoring.two_labels import macro_f1, supported


class GroupSpread(msgspec.Struct, frozen=True):
    """The claims of a group, the number of `supports` among them, and the macro-F1 of each seed, 0 to 1."""

    group: str
    claims: int
    supports: int
    macro_f1: Spread
    seeds: list[float]
    floors: Floors


class Summary(msgspec.Struct, frozen=True):
    """The summary of a training: encoder, number of examples, seeds and scores.

    `recipe` describes the training. `cut` counts the claims that were longer than the encoder's input. Older summaries
    have neither.
    """

    encoder: str
    setting: str
    examples: int
    seeds: list[int]
    scores: list[GroupSpread]
    recipe: dict[str, str | int | float] = {}
    cut: int | None = None


def over_seeds(
    golds: Sequence[LabelledClaim], traces: Sequence[Sequence[ClaimTrace]], tune: Sequence[LabelledClaim], seed: int
) -> list[GroupSpread]:
    """Return the scores by hops, then of all claims; the traces of each seed must be in the order of the claims.

    The lexical baseline is left out if `tune` has too few claims to fit it.
    """
    novelty = lexical_novelty.guesses(golds, tune, seed) if len(tune) >= lexical_novelty.SHOTS else []
    gold, said = supported(one.value for one in golds), [supported(one.value for one in some) for some in traces]
    found = []
    for group, places in by_hops(golds).items():
        scores = [once(macro_f1(gold[places], one[places]), len(places)) for one in said]
        spread = Spread(float(np.mean(scores)), float(np.std(scores)))
        beside = floors([golds[at] for at in places], [one[places] for one in novelty])
        found.append(GroupSpread(group, len(places), int(gold[places].sum()), spread, scores, beside))
    return found


def lines(scores: Sequence[GroupSpread]) -> list[str]:
    """Return the scores as lines of text, in per cent."""
    rows = [["group", "claims", "macro-F1", "lowest", "highest"]]
    for one in scores:
        ends = [percent(min(one.seeds)), percent(max(one.seeds))]
        rows.append([one.group, str(one.claims), spread_of(one.macro_f1), *ends])
    told = f"Mean and standard deviation over {len(scores[0].seeds)} seeds. {READING}"
    return [told, *table(rows), "", *floor_lines(scores)]
