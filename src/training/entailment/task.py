"""The training task of an entailment model: its examples, their loss, the held-out scores.

The settings are those of `src.training.train_entailment`.
"""

from collections import Counter
from pathlib import Path
from random import Random
from typing import Annotated

from src.claims.labelled import LabelledClaim, read_labelled_claims
from src.claims.texts import with_keys
from src.errors import InputError
from src.llm.adapter import WEIGHTS as ADAPTER
from src.models.entailment import LABELS
from src.models.prompted_classifier import ENTAILMENT_PROMPT
from src.settings import Flag, Group, Positive, Share, refuse_unread
from src.training.entailment.examples import EntailmentExample, averitec_examples, labelled_examples, whole
from src.training.entailment.pack_examples import held_out_examples, pack_examples
from src.training.entailment.pack_sets import SETS
from src.training.entailment.parts import part_examples
from src.training.entailment.scores import MEAN, PACK, Part, final_scores, quick_scores
from src.training.entailment.split import split_labelled
from src.training.learner import learner_of
from src.training.loop.adapters import begin_with
from src.training.recipe import Recipe, RecipeFlags, Setting, TrainingSettings, flags_of
from src.training.spread import evenly
from src.training.task import Material, Task

RECIPE = Recipe("claims, their parts and passages", "mpnet", tokens=4096, learning_rate=5e-4, max_length=320, every=120)


def _sets(text: str) -> str:
    """Return the set names, each once. Raises ValueError for an unknown name."""
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
        """Return the names of the sets of the pack that are used."""
        return list(SETS) if self.pack_only is None else self.pack_only.split(",")

    def recipe(self) -> Recipe:
        """Return the recipe. Raises InputError for settings without effect."""
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
        """Return the files that are read besides the claims, by their roles."""
        files = {name: getattr(self, name) for name in ("hover", "hover_ids", "feverous", "feverous_ids")}
        found = {name: path for name, path in files.items() if path is not None}
        if self.pack is not None:
            found |= {name: self.pack / f"{name}.jsonl.gz" for name in self.sets}
        if self.begin_with is not None:
            found["begin_with"] = self.begin_with / ADAPTER
        return found


def entailment_task(settings: EntailmentSettings, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
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
            found = split_labelled(_read(file, ids))
            made = labelled_examples(found.train, recipe.seed) + part_examples(found.train, recipe.seed)
            examples += _drawn(made, settings.labelled_share, recipe.seed)
            parts.append(Part(name, [whole(claim) for claim in found.held_out]))
            of_programs += part_examples(found.held_out, recipe.seed)
    if of_programs:
        parts.append(Part("steps", of_programs))
    if not examples or not all(part.examples for part in parts):
        raise InputError(
            "no claim with a label and evidence to learn from, or none held out", path=settings.files.train
        )
    return _task(settings, examples, parts, material)


def _drawn(examples: list[EntailmentExample], share: float, seed: int) -> list[EntailmentExample]:
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
    """Return the parts that are scored: `--scored` examples of each, or all."""
    return [Part(part.name, evenly(part.examples, settings.scored or len(part.examples))) for part in parts]


def _counts(examples: list[EntailmentExample], parts: list[Part]) -> dict[str, int]:
    kinds, labels = Counter(example.kind for example in examples), Counter(example.label for example in examples)
    return (
        {f"{kind} examples": count for kind, count in kinds.items()}
        | {f"{name}s": labels[place] for place, name in enumerate(LABELS)}
        | {f"held out of {part.name}": len(part.examples) for part in parts}
    )
