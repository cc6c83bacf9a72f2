"""The training task of an entailment model: its examples, their loss, and its scores on held-out claims.

HOVER and FEVEROUS-S have two labels, so they are scored on "entailed" and "not entailed". So are AVeriTeC's verdicts.
The baselines are the commonest label of each part, and the rule that a claim with several passages is entailed. This
rule predicts many labels of FEVEROUS-S.

The settings are those of `src.training.train_entailment`.

Limitations: gold evidence only. `src.programs.evaluate_programs` scores retrieved evidence.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Annotated

import msgspec
import numpy as np

from src.claims import LabelledClaim, read_labelled_claims, with_keys
from src.errors import InputError
from src.llm.adapter import WEIGHTS as ADAPTER
from src.models.entailment import LABELS
from src.models.evidence_rows import Input
from src.models.prompted_classifier import ENTAILMENT_PROMPT
from src.settings import Flag, Group, Positive, Share, refuse_unread
from src.training.adapters import begin_with
from src.training.calibration import (
    Floats,
    Ints,
    calibration_error,
    class_scores,
    fit_temperature,
    log_loss,
    log_softmax,
    mean_log_loss,
)
from src.training.entailment.examples import (
    ENTAILED,
    EntailmentExample,
    averitec_examples,
    labelled_examples,
    part_examples,
    whole,
)
from src.training.entailment.pack import SETS, held_out_examples, pack_examples
from src.training.learner import learner_of
from src.training.recipe import Recipe, RecipeFlags, Setting, TrainingSettings, flags_of
from src.training.split import evenly, split_labelled
from src.training.task import Final, Material, Scores, Task

LIKELIHOOD, MEAN = "log-likelihood", "mean macro-F1"
PACK = "pack"  # the part whose rows have all three labels
Ask = Callable[[Sequence[Input]], Floats]  # inputs to logits

RECIPE = Recipe("claims, their parts and passages", "mpnet", tokens=4096, learning_rate=5e-4, max_length=320, every=120)


class Part(msgspec.Struct, frozen=True):
    """Held-out examples of one data set, scored together."""

    name: str
    examples: list[EntailmentExample]

    @property
    def labels(self) -> Ints:
        return np.array([example.label for example in self.examples], np.int64)

    @property
    def inputs(self) -> list[Input]:
        return [example.text for example in self.examples]


def quick_scores(ask: Ask, parts: Sequence[Part]) -> Scores:
    """Return the held-out scores of a model in training. The mean of the parts' macro-F1 selects the best weights.

    Log-likelihood, after the best temperature, is only reported. It falls when the model becomes certain of its errors,
    although its decisions still improve.
    """
    judged = [(ask(part.inputs), part.labels) for part in parts]
    temperature = fit_temperature(judged)
    scores = {LIKELIHOOD: -mean_log_loss([(logits / temperature, labels) for logits, labels in judged])}
    for part, (logits, labels) in zip(parts, judged, strict=True):
        scores |= part_scores(part.name, logits.argmax(1), labels)
    return scores | {MEAN: sum(scores[f"{part.name} macro-F1"] for part in parts) / len(parts)}


def part_scores(name: str, guessed: Ints, labels: Ints) -> Scores:
    """Return accuracy and macro-F1 of one part.

    For the inference pack they are over all three labels, for other parts over "entailed" and "not entailed".
    """
    if name.endswith(PACK):
        accuracy, f1 = class_scores(guessed, labels, len(LABELS))
    else:
        accuracy, f1 = class_scores((guessed != ENTAILED).astype(np.int64), (labels != ENTAILED).astype(np.int64), 2)
    return {f"{name} accuracy": accuracy, f"{name} macro-F1": sum(f1) / len(f1)}


def final_scores(ask: Ask, parts: Sequence[Part]) -> Final:
    """Return the final held-out scores of a trained model, and a temperature fitted on all parts.

    The calibration error of each part is given twice: with the fitted temperature and without it.
    """
    judged = [(ask(part.inputs), part.labels) for part in parts]
    temperature = fit_temperature(judged)
    scores: Scores = {}
    for part, (logits, labels) in zip(parts, judged, strict=True):
        scores |= part_scores(part.name, logits.argmax(1), labels)
        scores |= {
            f"{part.name} log-loss": log_loss(logits / temperature, labels),
            f"{part.name} ECE": calibration_error(np.exp(log_softmax(logits / temperature)), labels),
            f"{part.name} ECE before temperature": calibration_error(np.exp(log_softmax(logits)), labels),
        }
    return Final(scores, baselines(parts), temperature)


def baselines(parts: Sequence[Part]) -> Scores:
    """Return the scores of both baselines on each part (see the top of this module)."""
    scores: Scores = {}
    for part in parts:
        labels = part.labels
        commonest = np.full(len(labels), np.bincount(labels).argmax(), np.int64)
        counted = np.array([ENTAILED if len(one.text[1]) > 1 else ENTAILED + 1 for one in part.examples], np.int64)
        scores |= part_scores(f"commonest: {part.name}", commonest, labels)
        scores |= part_scores(f"several passages: {part.name}", counted, labels)
    return scores


def _sets(text: str) -> str:
    """Check comma-separated names of sets and remove duplicates. Raises ValueError for an unknown name."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    if unknown := [name for name in names if name not in SETS]:
        raise ValueError(f"{unknown[0]!r} is none of {', '.join(SETS)}")
    return ",".join(names)


class EntailmentSettings(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training of an entailment model."""

    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    hover: Annotated[Path | None, Flag("claims of HOVER with gold paragraphs")] = None
    hover_ids: Annotated[Path | None, Flag("those of them that are used, one id a line")] = None
    feverous: Annotated[Path | None, Flag("claims of FEVEROUS-S")] = None
    feverous_ids: Annotated[Path | None, Flag("those of them that are used, one id a line")] = None
    labelled_share: Annotated[Share, Flag("share of the examples of HOVER and FEVEROUS-S that is used")] = 1.0
    pack: Annotated[Path | None, Flag("folder of an inference pack: <set>.jsonl.gz files")] = None
    pack_only: Annotated[
        str | None,
        Flag(
            "learn from these sets of the pack and nothing else, such as fever_dev,fm2: a model for "
            "src.programs.few_shot that was trained on another fact-checking set",
            parse=_sets,
        ),
    ] = None
    pack_share: Annotated[Share, Flag("share of the pack's rows that is used")] = 1.0
    scored: Annotated[Positive | None, Flag("held-out examples of a part that are scored (default: all)")] = None
    begin_with: Annotated[Path | None, Flag("the adapter of an entailment or verdict model to begin with")] = None

    @property
    def sets(self) -> list[str]:
        """Return the names of the pack's sets that the training uses."""
        return list(SETS) if self.pack_only is None else self.pack_only.split(",")

    def recipe(self) -> Recipe:
        """Return the recipe of the training that these settings describe. Raises InputError for unused settings."""
        for name, file in (("hover", self.hover), ("feverous", self.feverous)):
            if file is None:
                refuse_unread(self, [f"{name}_ids"], f"goes with --{name}")
        if self.pack is None:
            refuse_unread(self, ["pack_share", "pack_only"], "goes with --pack")
        if self.pack_only is not None:
            refuse_unread(self, ["hover", "feverous"], "does not go with --pack_only")
        options: dict[str, Setting] = {}
        if self.hover or self.feverous:
            options["labelled_share"] = self.labelled_share
        if self.pack is not None:
            options["pack_share"] = self.pack_share
        if self.pack_only is not None:
            options["pack_only"] = self.pack_only
        if self.scored is not None:
            options["scored"] = self.scored
        return self.changes.over(RECIPE, **options)

    def inputs(self) -> dict[str, Path]:
        """Return the files that the training reads besides the claims, by their names in the manifest."""
        files = {name: getattr(self, name) for name in ("hover", "hover_ids", "feverous", "feverous_ids")}
        paths = {name: path for name, path in files.items() if path is not None}
        if self.pack is not None:
            paths |= {name: self.pack / f"{name}.jsonl.gz" for name in self.sets}
        if self.begin_with is not None:
            paths["begin_with"] = self.begin_with / ADAPTER
        return paths


def entailment_task(settings: EntailmentSettings, material: Material) -> Task:
    """Build an entailment model's training task. Raises InputError when there are no examples, or none held out."""
    recipe = material.recipe
    examples: list[EntailmentExample] = []
    parts: list[Part] = []
    if settings.pack_only is None:
        examples += averitec_examples(material.split.train, recipe.seed)
        parts.append(Part("AVeriTeC", averitec_examples(material.split.held_out, recipe.seed)))
    if settings.pack is not None:
        examples += pack_examples(settings.pack, settings.pack_share, recipe.seed, settings.sets)
        parts.append(Part(PACK, held_out_examples(settings.pack, settings.sets)))
    of_programs: list[EntailmentExample] = []
    for name, file, ids in (
        ("HOVER", settings.hover, settings.hover_ids),
        ("FEVEROUS-S", settings.feverous, settings.feverous_ids),
    ):
        if file is not None:
            split = split_labelled(_read(file, ids))
            made = labelled_examples(split.train, recipe.seed) + part_examples(split.train, recipe.seed)
            examples += _drawn(made, settings.labelled_share, recipe.seed)
            parts.append(Part(name, [whole(claim) for claim in split.held_out]))
            of_programs += part_examples(split.held_out, recipe.seed)
    if of_programs:
        parts.append(Part("steps", of_programs))
    if not examples or not all(part.examples for part in parts):
        raise InputError(
            "no claim with a label and evidence to learn from, or none held out", path=settings.files.train
        )
    return _task(settings, examples, parts, material)


def _drawn(examples: list[EntailmentExample], share: float, seed: int) -> list[EntailmentExample]:
    """Draw a share of the examples at random."""
    return Random(f"drawn\n{seed}").sample(examples, round(share * len(examples)))


def _read(file: Path, ids: Path | None) -> list[LabelledClaim]:
    return with_keys(read_labelled_claims(file), ids)


def _task(
    settings: EntailmentSettings, examples: list[EntailmentExample], parts: list[Part], material: Material
) -> Task:
    learner = learner_of(material.base, material.recipe, len(LABELS), ENTAILMENT_PROMPT)
    if settings.begin_with is not None:
        begin_with(learner.model, settings.begin_with)
    rows, labels = learner.rows([example.text for example in examples]), [example.label for example in examples]
    weights = [1.0] * len(examples)
    return Task(
        model=learner.model,
        tokenizer=learner.tokenizer,
        layout=learner.layout,
        lengths=learner.lengths(rows),
        weights=weights,
        loss=learner.loss_of(rows, labels, weights),
        held_out=lambda model: quick_scores(learner.ask(model), _scored(settings, parts)),
        chosen_by=MEAN,
        final=lambda model: final_scores(learner.ask(model), _scored(settings, parts)),
        labels=LABELS,
        counts=_counts(examples, parts),
    )


def _scored(settings: EntailmentSettings, parts: list[Part]) -> list[Part]:
    """Return the held-out parts with at most `--scored` examples each (default: all)."""
    return [Part(part.name, evenly(part.examples, settings.scored or len(part.examples))) for part in parts]


def _counts(examples: list[EntailmentExample], parts: list[Part]) -> dict[str, int]:
    kinds, labels = Counter(example.kind for example in examples), Counter(example.label for example in examples)
    return (
        {f"{kind} examples": count for kind, count in kinds.items()}
        | {f"{name}s": labels[place] for place, name in enumerate(LABELS)}
        | {f"held out of {part.name}": len(part.examples) for part in parts}
    )
