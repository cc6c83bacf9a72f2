"""Chooses when a step counts as true or false for the entailment model: threshold, margin, passages alone or not.

    python -m bench.entailment_thresholds [--entailment FOLDER]

Over programs by rules for the claims that the model's training held out: HOVER's and FEVEROUS-S's (of the part for
tuning) with gold passages, these as wholes, too, and AVeriTeC's (of train) with what a system retrieved for them. Each
pair of premise and hypothesis is scored once; then every setting is tried, and the best of each part and of the parts
with gold passages together are shown. Passages alone are tried where they are retrieved: gold ones belong together.
"""

import argparse
from collections.abc import Mapping, Sequence
from itertools import product, starmap
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from bench.command import command
from src.claims import ClaimText, LabelledClaim, read_labelled_claims, with_keys
from src.models.entailment import Entailed, Entailment, Premise, load_entailment
from src.programs.answerers.by_small_models import SmallModelAnswers
from src.programs.answerers.evidence import GoldEvidence
from src.programs.decomposition.planner import planner
from src.programs.interpreter import execute
from src.programs.predictions import VERDICT
from src.programs.records import ClaimPrograms, TwoLabel
from src.programs.whole_claim import whole
from src.records import VERDICTS, Sentence
from src.store import read_claims
from src.training.calibration import class_scores
from src.training.retrieved import read_retrieved
from src.training.split import split_claims, split_labelled

DATA, SPLITS = Path("../shared/data"), Path("bench/splits")
THRESHOLDS, MARGINS = (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8), (-1.0, -0.5, -0.2, 0.0, 0.1, 0.2)
SHOWN = 10  # of the best settings; the worst stands below


class Part(msgspec.Struct, frozen=True):
    """Claims with their programs, passages and labels; with `verdicts` the labels are four verdicts, else two
    labels.
    """

    name: str
    claims: list[ClaimPrograms]
    passages: Mapping[int, Sequence[Sentence]]
    labels: Mapping[int, str]
    verdicts: bool = False


class Remembering:
    """Entailment model that caches its scores, so that each pair is scored once."""

    def __init__(self, model: Entailment) -> None:
        self._model = model
        self._known: dict[object, Entailed] = {}

    def scores(self, premises: Sequence[Premise]) -> list[Entailed]:
        keys = [(tuple(one.passages), one.hypothesis) for one in premises]
        new = {key: one for key, one in zip(keys, premises, strict=True) if key not in self._known}
        self._known |= zip(new, self._model.scores(list(new.values())), strict=True)
        return [self._known[key] for key in keys]


def labelled(name: str, file: Path, ids: Path) -> Part:
    held_out = split_labelled(with_keys(read_labelled_claims(file), ids)).held_out
    return _part(name, held_out)


def _part(name: str, claims: Sequence[LabelledClaim]) -> Part:
    programs = planned([ClaimText(one.claim_id, one.claim) for one in claims])
    labels = {one.claim_id: str(TwoLabel.of(one.value)) for one in claims}
    return Part(name, programs, {one.claim_id: one.gold for one in claims}, labels)


def averitec() -> Part:
    everyone = read_claims(DATA / "averitec/train.json")
    held_out = split_claims(everyone, read_claims(DATA / "averitec/dev.json")).held_out
    retrieved = read_retrieved(DATA / "averitec/peers/eibakke_baseline_train1000.csv.gz", everyone)
    claims = [one for one in held_out if one.claim_id in retrieved and one.label]
    passages = {one.claim_id: [Sentence(text, "") for _, text in retrieved[one.claim_id]] for one in claims}
    programs = planned([ClaimText(one.claim_id, one.claim) for one in claims])
    return Part("AVeriTeC", programs, passages, {one.claim_id: str(one.label) for one in claims}, verdicts=True)


def planned(claims: list[ClaimText]) -> list[ClaimPrograms]:
    return [outcome.record for outcome in planner().generate(claims)]


def macro_f1(part: Part, answers: SmallModelAnswers) -> float:
    traces = [done.trace for done in execute(part.claims, answers)]
    verdicts = [str(VERDICT[trace.value] if part.verdicts else TwoLabel.of(trace.value)) for trace in traces]
    names = list(map(str, VERDICTS)) if part.verdicts else ["supports", "refutes"]
    guessed = np.array([names.index(one) for one in verdicts])
    labels = np.array([names.index(part.labels[trace.claim_id]) for trace in traces])
    return sum(class_scores(guessed, labels, len(names))[1]) / len(names)


class Setting(NamedTuple):
    threshold: float
    margin: float
    alone: bool


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--entailment", type=Path, default=Path("pretrained_models/adapters/entailment"))
    args = flags.parse_args(argv)
    model = Remembering(load_entailment(args.entailment))
    programfc = DATA / "programfc"
    of_gold = [
        labelled("FEVEROUS-S", programfc / "feverous_dev.json.gz", SPLITS / "feverous_tune.txt"),
        labelled("HOVER", programfc / "hover_dev_gold_evidence.jsonl.gz", SPLITS / "hover_tune.txt"),
    ]
    parts = [*of_gold, *map(as_wholes, of_gold)]
    tried = [scored(part, model) for part in parts]
    for part, scores in zip(parts, tried, strict=True):
        show(f"{part.name}, {len(part.claims)} claims", scores)
    show("mean of these", {one: sum(scores[one] for scores in tried) / len(tried) for one in tried[0]})
    retrieved = averitec()
    show(f"{retrieved.name}, {len(retrieved.claims)} claims", scored(retrieved, model))
    return 0


def as_wholes(part: Part) -> Part:
    """Return the same claims with programs of one step, which verifies the whole claim."""
    wholes = [whole(one) for one in part.claims]
    return msgspec.structs.replace(part, name=f"{part.name} as wholes", claims=wholes)


def scored(part: Part, model: Remembering) -> dict[Setting, float]:
    """Return the macro-F1 of each setting."""
    alone = (False, True) if part.verdicts else (False,)
    return {
        one: macro_f1(
            part,
            SmallModelAnswers(model, GoldEvidence(part.passages), one.threshold, one.margin, alone=one.alone),
        )
        for one in starmap(Setting, product(THRESHOLDS, MARGINS, alone))
    }


def show(name: str, scores: Mapping[Setting, float]) -> None:
    """The best settings, and the worst."""
    ranked = sorted(((score, *one) for one, score in scores.items()), reverse=True)
    print(f"\n{name}: macro-F1, threshold, margin, passages alone too", flush=True)
    for score, threshold, margin, alone in ranked[:SHOWN] + ranked[-1:]:
        print(f"{100 * score:8.2f}  {threshold:.2f}  {margin:5.2f}  {'yes' if alone else 'no'}")


if __name__ == "__main__":
    raise SystemExit(main())
