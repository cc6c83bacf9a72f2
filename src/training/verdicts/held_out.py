"""All held-out claims that a verdict model is scored on: those of AVeriTeC, and those of its other training data."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated

import msgspec

from src.evaluation.gold_pairs import gold_pairs
from src.records import Claim
from src.settings import Flag
from src.training.as_met.averitec import averitec_claims
from src.training.as_met.contraries import contrary_claims, contrary_passages
from src.training.as_met.pack import pack_claims
from src.training.as_met.records import MetClaim
from src.training.as_met.scenarios import scenario_claims, single_passages
from src.training.retrieved import Pairs
from src.training.split import Split
from src.training.spread import evenly
from src.training.verdicts.examples import held_out_contrast, met_examples
from src.training.verdicts.scores import Part, held_out_parts, met_parts, part_of

SCORED = 150  # held-out claims of a kind


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """The training data of a model beside annotated and retrieved evidence. A folder is None if it was not used.

    `contrast` is True if the model learned from pairs of the pack that differ in one place.
    """

    as_met: Annotated[bool, Flag("claims with their evidence among that of others")] = False
    pack: Annotated[Path | None, Flag("folder of an inference pack")] = None
    scenarios: Annotated[Path | None, Flag("folder of written scenarios")] = None
    contraries: Annotated[Path | None, Flag("folder of written contrary claims")] = None
    contrast: bool = False


def all_parts(
    split: Split,
    retrieved: Mapping[int, Pairs],
    learned: Learned,
    in_words: Callable[[Claim], Pairs] = gold_pairs,
    *,
    blind: bool = False,
) -> list[Part]:
    """Return a part for each kind of evidence, the same for every seed. The arguments are those of `held_out_parts`."""
    parts = held_out_parts(split.held_out, retrieved, in_words, blind=blind)
    if learned.as_met and not blind:
        parts += _as_met(split, learned.pack)
    if learned.scenarios is not None:
        parts += held_out_scenarios(learned.scenarios)
    if learned.contraries is not None:
        parts += _written("contraries", contrary_claims(learned.contraries, 0), contrary_passages(learned.contraries))
    if learned.contrast and learned.pack is not None:
        parts.append(part_of("contrast", held_out_contrast(learned.pack)))
    return parts


def held_out_scenarios(folder: Path) -> list[Part]:
    """Return `SCORED` held-out scenarios with several passages, and `SCORED` of their passages alone.

    They are the same for every seed. Raises InputError when a file is invalid.
    """
    return _written("scenarios", scenario_claims(folder, 0), single_passages(folder, 0))


def _as_met(split: Split, pack: Path | None) -> list[Part]:
    kinds = [averitec_claims(split.held_out, [*split.train, *split.held_out], 0)]
    if pack is not None:
        kinds.append(pack_claims(pack, 0))
    return met_parts([claim for kind in kinds for claim in evenly(kind, SCORED)])


def _written(name: str, met: Sequence[MetClaim], alone: Sequence[MetClaim]) -> list[Part]:
    draw = Random(f"held-out {name}")  # drawn: labels take turns, so evenly spread items could all have one label
    met, alone = (draw.sample(found, min(SCORED, len(found))) for found in (met, alone))
    return [*met_parts(met), part_of(f"{name} alone", met_examples(alone))]
