"""Scores of a verdict model, or of an ensemble of its runs, on held-out claims.

Each kind of evidence is a part: gold evidence, retrieved evidence, few retrieved pairs as from a weaker retrieval, and
the other kinds in the model's training data. The joint model gives logits of the verdicts. The published model gives a
class for each answer, and its rule makes the verdict. The baseline always predicts the commonest verdict of the
training claims.

Limitations: verdicts only. `bench/scoreboard` also scores questions and answers.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Annotated

import msgspec
import numpy as np

from src.errors import InputError
from src.evaluation.averitec import gold_pairs
from src.models.evidence_rows import MAX_PAIRS, PUBLISHED_TEXT, Input
from src.models.trained import Trained, read_trained
from src.models.veracity import TASK, JointVerdict, aggregate, joined
from src.records import VERDICTS, Claim, QAPair, Verdict
from src.settings import Flag, Group
from src.store import read_claims
from src.text import same
from src.training.calibration import (
    Floats,
    Ints,
    calibration_error,
    class_scores,
    cross_fitted,
    fit_decision,
    fit_temperature,
    folds_of,
    log_loss,
    log_softmax,
    mean_log_loss,
    worth,
)
from src.training.passages.contraries import contrary_claims, contrary_passages
from src.training.passages.mixed import ClaimWithPassages, averitec_claims, labels_of
from src.training.passages.pack import pack_claims
from src.training.passages.scenarios import scenario_claims, single_passages
from src.training.recipe import ClaimFiles
from src.training.retrieved import Pairs, read_retrieved
from src.training.run import hashes_of
from src.training.split import Split, evenly, split_claims
from src.training.task import Final, Scores
from src.training.verdicts.examples import VerdictExample, held_out_contrast, met_examples

WORTH, LIKELIHOOD, GOLD_F1 = "worth", "log-likelihood", "gold macro-F1"
SHORT = {verdict: verdict.value.partition(" ")[0] for verdict in VERDICTS}

FEW = 3
Ask = Callable[[Sequence[Input]], Floats]  # inputs to logits

SCORED = 150  # held-out claims of a kind


class Part(msgspec.Struct, frozen=True):
    """Held-out claims with one kind of evidence.

    `name`: the kind.
    `claims`: texts of the claims.
    `pairs`: question-answer pairs of each claim.
    `labels`: verdict of each claim, as an index into the four verdicts.
    """

    name: str
    claims: list[str]
    pairs: list[Pairs]
    labels: list[int]

    @property
    def numbers(self) -> Ints:
        """Return the labels as an array [claims]."""
        return np.array(self.labels, np.int64)

    @property
    def inputs(self) -> list[Input]:
        """Return the inputs of a model that reads all pairs of a claim at once, at most MAX_PAIRS."""
        return [(claim, pairs[:MAX_PAIRS]) for claim, pairs in zip(self.claims, self.pairs, strict=True)]


def held_out_parts(
    claims: Sequence[Claim],
    retrieved: Mapping[int, Pairs],
    in_words: Callable[[Claim], Pairs] = gold_pairs,
    *,
    blind: bool = False,
) -> list[Part]:
    """Return the held-out claims as up to three parts: with gold pairs, with retrieved pairs, with `FEW` of these.

    A claim without pairs of a kind is left out of its part.

    `retrieved`: each claim's retrieved pairs, by claim_id.
    `in_words`: function that returns a claim's gold pairs as the model reads them.
    `blind`: hide the pairs from the model (a baseline).
    """
    gold = {claim.claim_id: in_words(claim) for claim in claims}
    few = {claim.claim_id: _few(claim, retrieved.get(claim.claim_id, [])) for claim in claims}
    kinds = {"gold": gold, "retrieved": retrieved, "few retrieved": few}
    parts = [_part(name, claims, by_id, blind) for name, by_id in kinds.items()]
    return [part for part in parts if part.labels]


def met_parts(claims: Sequence[ClaimWithPassages]) -> list[Part]:
    """Group claims by their kind of evidence (`part`) into one Part each; passages become pairs without questions."""
    parts = []
    for name in dict.fromkeys(claim.part for claim in claims):
        own = [claim for claim in claims if claim.part == name]
        pairs: list[Pairs] = [[("", passage.text) for passage in claim.passages] for claim in own]
        parts.append(Part(f"{name} as met", [claim.claim for claim in own], pairs, labels_of(own)))
    return parts


def part_of(name: str, examples: Sequence[VerdictExample]) -> Part:
    """Combine held-out examples, whose evidence is question-answer pairs, into one part of the scores."""
    texts = [one.text for one in examples if not isinstance(one.text, str)]
    pairs: list[Pairs] = [list(shown) for _, shown in texts]
    return Part(name, [claim for claim, _ in texts], pairs, [VERDICTS.index(one.label) for one in examples])


def _few(claim: Claim, pairs: Pairs) -> Pairs:
    """Draw `FEW` of a claim's pairs. The choice depends only on the claim's text, so it is the same in every run."""
    return Random(same(claim.claim)).sample(pairs, min(FEW, len(pairs)))


def _part(name: str, claims: Sequence[Claim], by_id: Mapping[int, Pairs], blind: bool) -> Part:
    own = [claim for claim in claims if claim.label is not None and by_id.get(claim.claim_id)]
    pairs = [[] if blind else by_id[claim.claim_id] for claim in own]
    labels = [VERDICTS.index(claim.label) for claim in own if claim.label is not None]
    return Part(name, [claim.claim for claim in own], pairs, labels)


def quick_scores(guesses: Sequence[Ints], parts: Sequence[Part]) -> Scores:
    """Return accuracy and macro-F1 of the predicted verdicts of each part, and "worth", the mean of both over parts."""
    scores: Scores = {}
    for part, guessed in zip(parts, guesses, strict=True):
        accuracy, f1 = class_scores(guessed, part.numbers, len(VERDICTS))
        scores |= {f"{part.name} accuracy": accuracy, f"{part.name} macro-F1": sum(f1) / len(VERDICTS)}
    worths = [worth(guessed, part.numbers, len(VERDICTS)) for guessed, part in zip(guesses, parts, strict=True)]
    return scores | {WORTH: float(np.mean(worths))}


def joint_scores(ask: Ask, parts: Sequence[Part]) -> Scores:
    """Return the held-out scores of a joint model in training.

    "log-likelihood" selects the best weights: the mean log-likelihood of the labels, averaged over the parts. The
    logits are first divided by the temperature that maximizes it. On a few hundred claims it varies much less by chance
    than accuracy or macro-F1.
    """
    judged = [(ask(part.inputs), part.numbers) for part in parts]
    temperature = fit_temperature(judged)
    likelihood = -mean_log_loss([(logits / temperature, labels) for logits, labels in judged])
    return quick_scores([logits.argmax(1) for logits, _ in judged], parts) | {LIKELIHOOD: likelihood}


def published_scores(ask: Ask, parts: Sequence[Part]) -> Scores:
    """Return the held-out scores of a model of the published recipe in training.

    Macro-F1 with gold evidence selects the best weights, as published. The model gives no probabilities of verdicts, so
    there is no log-likelihood.
    """
    return quick_scores(published_guesses(ask, parts), parts)


def published_guesses(ask: Ask, parts: Sequence[Part]) -> list[Ints]:
    """Return the predicted verdicts of each part: the published rule combines the model's classes of single pairs."""
    guesses = []
    for part in parts:
        texts: list[Input] = [
            joined(claim, QAPair(*pair)) for claim, pairs in zip(part.claims, part.pairs, strict=True) for pair in pairs
        ]
        stances = iter(ask(texts).argmax(1).tolist())
        verdicts = [aggregate([VERDICTS[next(stances)] for _ in pairs]) for pairs in part.pairs]
        guesses.append(np.array([VERDICTS.index(verdict) for verdict in verdicts], np.int64))
    return guesses


def joint_final(ask: Ask, parts: Sequence[Part], commonest: Verdict) -> Final:
    """Return the final results of a joint model, with temperature and biases fitted on all parts.

    Scores that depend on temperature or biases are cross-fitted. A temperature that does not make the labels more
    likely is dropped. Biases are dropped unless the verdicts with them ("decided") have a higher "worth".
    """
    judged = [(ask(part.inputs), part.numbers) for part in parts]
    folds = folds_of([part.claims for part in parts])
    scaled, decided = cross_fitted(judged, folds)
    fitted_loss = mean_log_loss([(fitted, labels) for fitted, (_, labels) in zip(scaled, judged, strict=True)])
    calibrate = fitted_loss < mean_log_loss(judged)
    if not calibrate:
        scaled, decided = cross_fitted(judged, folds, calibrate=False)
    plain = [logits.argmax(1) for logits, _ in judged]
    scores = quick_scores(plain, parts) | _f1(plain, parts)
    for part, fitted, (logits, labels) in zip(parts, scaled, judged, strict=True):
        scores |= {
            f"{part.name} log-loss": log_loss(fitted, labels),
            f"{part.name} log-loss before temperature": log_loss(logits, labels),
            f"{part.name} ECE": calibration_error(np.exp(fitted), labels),
            f"{part.name} ECE before temperature": calibration_error(np.exp(log_softmax(logits)), labels),
        }
    of_rule = quick_scores(decided, parts) | _f1(decided, parts)
    by_rule = {f"{name}, decided": value for name, value in of_rule.items()}
    temperature, biases = fit_decision(judged, calibrate=calibrate)
    better = by_rule[f"{WORTH}, decided"] > scores[WORTH]
    chosen = tuple(round(float(bias), 4) for bias in biases) if better else ()
    return Final(scores | by_rule, baselines(parts, commonest), temperature, chosen)


def published_final(ask: Ask, parts: Sequence[Part], commonest: Verdict) -> Final:
    """Return the final results of a model of the published recipe; nothing is fitted."""
    guesses = published_guesses(ask, parts)
    return Final(quick_scores(guesses, parts) | _f1(guesses, parts), baselines(parts, commonest))


def baselines(parts: Sequence[Part], commonest: Verdict) -> Scores:
    """Return the scores on each part of the baseline that always predicts the verdict `commonest`."""
    always = [np.full(len(part.labels), VERDICTS.index(commonest)) for part in parts]
    return {f"always {SHORT[commonest]}: {name}": value for name, value in quick_scores(always, parts).items()}


def commonest_verdict(claims: Sequence[Claim]) -> Verdict:
    return Counter(claim.label for claim in claims if claim.label is not None).most_common(1)[0][0]


def _f1(guesses: Sequence[Ints], parts: Sequence[Part]) -> Scores:
    """Return F1 of each verdict on each part."""
    return {
        f"{part.name} F1 {SHORT[verdict]}": value
        for part, guessed in zip(parts, guesses, strict=True)
        for verdict, value in zip(VERDICTS, class_scores(guessed, part.numbers, len(VERDICTS))[1], strict=True)
    }


class Learned(msgspec.Struct, frozen=True, kw_only=True):
    """Training data of a verdict model besides gold and retrieved evidence. A folder is None if it was not used.

    `as_met`: True if it learned from claims with their evidence mixed with that of other claims.
    `pack`: folder of the inference pack.
    `scenarios`: folder of written scenarios.
    `contraries`: folder of written contrary claims.
    `contrast`: True if it learned from pairs of rows of the inference pack that differ in one place.
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
    """Return a held-out part for each kind of evidence that the model learned from, the same for every seed.

    `retrieved`, `in_words` and `blind` have the meaning that they have in `held_out_parts`.
    """
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
    """Return two parts of held-out scenarios: claims with several passages, and claims with a single passage.

    Each has at most `SCORED` claims, the same for every seed. Raises InputError when a file is invalid.
    """
    return _written("scenarios", scenario_claims(folder, 0), single_passages(folder, 0))


def _as_met(split: Split, pack: Path | None) -> list[Part]:
    kinds = [averitec_claims(split.held_out, [*split.train, *split.held_out], 0)]
    if pack is not None:
        kinds.append(pack_claims(pack, 0))
    return met_parts([claim for kind in kinds for claim in evenly(kind, SCORED)])


def _written(name: str, met: Sequence[ClaimWithPassages], alone: Sequence[ClaimWithPassages]) -> list[Part]:
    draw = Random(f"held-out {name}")  # drawn: labels take turns, so evenly spread items could all have one label
    met, alone = (draw.sample(claims, min(SCORED, len(claims))) for claims in (met, alone))
    return [*met_parts(met), part_of(f"{name} alone", met_examples(alone))]


class RunsSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of a step that reads several runs of a verdict model."""

    folder: Annotated[Path, Flag("a verdict model with other runs as seed_N in it", metavar="FOLDER", positional=True)]
    files: Annotated[ClaimFiles, Group()] = ClaimFiles()
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None


def read_first(settings: RunsSettings) -> tuple[Trained, dict[str, str]]:
    """Return the `training.json` of the folder's first run, and the hashes of the claim files in the settings.

    Raises InputError when the run was trained on other claim files, or by the published recipe.
    """
    trained = read_trained(settings.folder, TASK)
    if trained.layout == PUBLISHED_TEXT:
        raise InputError(
            "was trained by the published recipe, whose rule makes the verdict; there is nothing to fit",
            path=settings.folder,
        )
    data = hashes_of(
        {"train": settings.files.train, "leave_out": settings.files.leave_out, "retrieved": settings.retrieved}
    )
    if data != {name: digest for name, digest in trained.data.items() if not _is_further(name)}:
        names = ", ".join(trained.data)
        raise InputError(f"was trained on other files, by name or content: {names}", path=settings.folder)
    return trained, data


def _is_further(name: str) -> bool:
    """Return True for the name of a file without AVeriTeC claims: inference pack, written records or adapter."""
    return name.partition(" (")[0].endswith((".jsonl", ".jsonl.gz", ".safetensors"))


def final_of_runs(model: JointVerdict, settings: RunsSettings, learned: Learned) -> Final:
    """Return the held-out scores of an ensemble of runs, with its temperature and biases fitted on the same claims."""
    files = settings.files
    claims = read_claims(files.train)
    split = split_claims(claims, read_claims(files.leave_out) if files.leave_out else [])
    retrieved = read_retrieved(settings.retrieved, claims) if settings.retrieved else {}
    parts = all_parts(split, retrieved, learned, blind=model.is_blind)
    return joint_final(
        lambda inputs: model.log_probabilities(inputs).double().numpy(), parts, commonest_verdict(split.train)
    )
