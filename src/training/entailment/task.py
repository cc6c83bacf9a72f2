"""The training task of an entailment model: its examples, their loss, the held-out scores.

The arguments are those of `src.training.train_entailment`.
"""

from argparse import Namespace
from collections import Counter
from pathlib import Path
from random import Random

from src.claims import LabelledClaim, read_labelled_claims, with_keys
from src.errors import InputError
from src.models.entailment import LABELS
from src.models.passage_prompt import ENTAILMENT_PROMPT
from src.training.entailment.examples import EntailmentExample, averitec_examples, labelled_examples, whole
from src.training.entailment.pack_examples import held_out_examples, pack_examples
from src.training.entailment.pack_sets import SETS
from src.training.entailment.parts import part_examples
from src.training.entailment.scores import MEAN, PACK, Part, final_scores, quick_scores
from src.training.entailment.split import split_labelled
from src.training.learner import learner_of
from src.training.loop.adapters import begin_with
from src.training.spread import evenly
from src.training.task import Material, Task


def entailment_task(args: Namespace, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
    recipe = material.recipe
    examples: list[EntailmentExample] = []
    parts: list[Part] = []
    if args.pack_only is None:
        examples += averitec_examples(material.split.train, recipe.seed)
        parts.append(Part("AVeriTeC", averitec_examples(material.split.held_out, recipe.seed)))
    if args.pack is not None:
        names = args.pack_only or SETS
        examples += pack_examples(args.pack, args.pack_share, recipe.seed, names)
        parts.append(Part(PACK, held_out_examples(args.pack, names)))
    of_programs: list[EntailmentExample] = []
    for name, file, ids in (("HOVER", args.hover, args.hover_ids), ("FEVEROUS-S", args.feverous, args.feverous_ids)):
        if file is not None:
            found = split_labelled(_read(file, ids))
            made = labelled_examples(found.train, recipe.seed) + part_examples(found.train, recipe.seed)
            examples += _drawn(made, args.labelled_share, recipe.seed)
            parts.append(Part(name, [whole(claim) for claim in found.held_out]))
            of_programs += part_examples(found.held_out, recipe.seed)
    if of_programs:
        parts.append(Part("steps", of_programs))
    if not examples or not all(part.examples for part in parts):
        raise InputError("no claim with a label and evidence to learn from, or none held out", path=args.train)
    return _task(args, examples, parts, material)


def _drawn(examples: list[EntailmentExample], share: float, seed: int) -> list[EntailmentExample]:
    return Random(f"drawn\n{seed}").sample(examples, round(share * len(examples)))


def _read(file: Path, ids: Path | None) -> list[LabelledClaim]:
    return with_keys(read_labelled_claims(file), ids)


def _task(args: Namespace, examples: list[EntailmentExample], parts: list[Part], material: Material) -> Task:
    learner = learner_of(material.base, material.recipe, len(LABELS), ENTAILMENT_PROMPT)
    if args.begin_with is not None:
        begin_with(learner.model, args.begin_with)
    rows, labels = learner.rows([example.text for example in examples]), [example.label for example in examples]
    weights = [1.0] * len(examples)
    return Task(
        model=learner.model,
        tokenizer=learner.tokenizer,
        layout=learner.layout,
        lengths=learner.lengths(rows),
        weights=weights,
        loss=learner.loss_of(rows, labels, weights),
        held_out=lambda model: quick_scores(learner.ask(model), _scored(args, parts)),
        chosen_by=MEAN,
        final=lambda model: final_scores(learner.ask(model), _scored(args, parts)),
        labels=LABELS,
        counts=_counts(examples, parts),
    )


def _scored(args: Namespace, parts: list[Part]) -> list[Part]:
    """Return the parts that are scored: `--scored` examples of each, or all."""
    return [Part(part.name, evenly(part.examples, args.scored or len(part.examples))) for part in parts]


def _counts(examples: list[EntailmentExample], parts: list[Part]) -> dict[str, int]:
    kinds, labels = Counter(example.kind for example in examples), Counter(example.label for example in examples)
    return (
        {f"{kind} examples": count for kind, count in kinds.items()}
        | {f"{name}s": labels[place] for place, name in enumerate(LABELS)}
        | {f"held out of {part.name}": len(part.examples) for part in parts}
    )
