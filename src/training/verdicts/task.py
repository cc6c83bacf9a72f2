"""The training task of a verdict model, joint or published: its examples, their loss, the held-out scores.

The arguments are those of `src.training.train_veracity`.
"""

from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from src.errors import InputError
from src.evaluation.gold_pairs import gold_pairs
from src.models.base_model import is_language_model
from src.models.evidence_rows import CLAIM_ONLY, PUBLISHED_TEXT
from src.models.prompted_classifier import VERDICT_PROMPT
from src.models.trained import read_trained
from src.records import VERDICTS, Claim
from src.training.as_met.averitec import averitec_claims
from src.training.as_met.pack import pack_claims
from src.training.as_met.records import MetClaim
from src.training.classifier import Label
from src.training.learner import learner_of
from src.training.loop.adapters import begin_with, blend, kept_weights
from src.training.retrieved import Pairs, read_retrieved
from src.training.task import Material, Task
from src.training.verdicts import examples as making
from src.training.verdicts import scores as scoring
from src.training.verdicts.held_out import Learned, all_parts
from src.training.verdicts.teacher import load_teacher, taught

JOINT, PUBLISHED = "joint", "published"


def verdict_task(args: Namespace, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or the base or --begin_with does not fit."""
    recipe, published = material.recipe, args.recipe == PUBLISHED
    retrieved = read_retrieved(args.retrieved, material.claims) if args.retrieved else {}
    examples = _examples(args, material, retrieved)
    in_words = making.published_pairs if published else gold_pairs
    learned = Learned(bool(args.as_met), args.pack, bool(args.contrast), args.scenarios, args.contraries)
    parts = all_parts(material.split, retrieved, learned, in_words, blind=args.hide_evidence)
    if not examples or not parts:
        raise InputError("no claim with a label and evidence to learn from, or none held out", path=args.train)
    if (published or args.hide_evidence) and is_language_model(material.base):
        raise InputError(f"--recipe published and --hide_evidence need an encoder; {material.base.name} is none")
    learner = learner_of(material.base, recipe, len(VERDICTS), VERDICT_PROMPT)
    finish = None
    if args.begin_with is not None:
        if args.keep_start and read_trained(args.begin_with).labels != tuple(VERDICTS):
            raise InputError("holds no verdict model, whose weights could be kept", path=args.begin_with)
        begin_with(learner.model, args.begin_with)
        finish = partial(blend, start=kept_weights(learner.model), share=args.keep_start) if args.keep_start else None
    rows, labels = learner.rows([example.text for example in examples]), [VERDICTS.index(e.label) for e in examples]
    targets: Sequence[Label] = labels
    if args.teacher is not None:
        targets = taught(load_teacher(args.teacher), [e.text for e in examples], labels, args.teacher_share)
    weights = making.class_weights(examples, 0.0 if published else args.balance)
    held_out: Callable[..., Any] = scoring.published_scores if published else scoring.joint_scores
    final: Callable[..., Any] = scoring.published_final if published else scoring.joint_final
    commonest = scoring.commonest_verdict(material.split.train)

    return Task(
        model=learner.model,
        tokenizer=learner.tokenizer,
        layout=PUBLISHED_TEXT if published else CLAIM_ONLY if args.hide_evidence else learner.layout,
        lengths=learner.lengths(rows),
        weights=weights,
        loss=learner.loss_of(rows, targets, weights),
        held_out=lambda model: held_out(learner.ask(model), parts),
        chosen_by=scoring.GOLD_F1 if published else scoring.LIKELIHOOD,
        final=lambda model: final(learner.ask(model), parts, commonest),
        finish=finish,
        labels=tuple(VERDICTS),
        counts={f"with {verdict}": labels.count(place) for place, verdict in enumerate(VERDICTS)}
        | {f"held out with {part.name} evidence": len(part.labels) for part in parts},
    )


def _examples(args: Namespace, material: Material, retrieved: Mapping[int, Pairs]) -> list[making.VerdictExample]:
    claims = material.split.train
    if args.recipe == PUBLISHED:
        return making.published_examples(claims)
    if args.hide_evidence:
        return making.claim_examples(claims)
    noise = making.Noise(args.mixtures, args.copies, args.keep, args.lose, args.foreign, args.honest, args.blank)
    found = making.joint_examples(claims, retrieved, noise, material.recipe.seed)
    if args.as_met:
        found += making.met_examples(_as_met(args, material, claims))
    if args.pack is not None:
        found += making.single_examples(args.pack, args.pack_share, material.recipe.seed)
        if args.contrast:
            found += making.contrast_examples(args.pack, args.contrast, material.recipe.seed)
    if args.scenarios is not None:
        found += making.scenario_examples(args.scenarios, material.recipe.seed)
    if args.contraries is not None:
        found += making.contrary_examples(args.contraries, material.recipe.seed)
    return found


def _as_met(args: Namespace, material: Material, claims: Sequence[Claim]) -> list[MetClaim]:
    """Return claims to train on with passages as in a pipeline, `--as_met` of each set of the pack."""
    found = averitec_claims(claims, claims, material.recipe.seed)
    if args.pack is not None:
        found += pack_claims(args.pack, material.recipe.seed, args.as_met, held_out=False)
    return found
