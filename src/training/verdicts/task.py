"""The training task of a verdict model, of the joint or the published recipe: examples, loss and held-out scores.

The settings are those of `src.training.train_veracity`.

With a teacher, the target is a mean of the label and the teacher's probabilities. This turns an ensemble of verdict
models into one model (Hinton et al. 2015, section 2). A teacher that was trained on the same examples is more certain
of these examples than of others.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import msgspec

from src.errors import InputError
from src.evaluation.averitec import gold_pairs
from src.llm.adapter import WEIGHTS as ADAPTER
from src.models.base_model import is_language_model
from src.models.evidence_rows import CLAIM_ONLY, LAYOUT, PUBLISHED_TEXT, Input
from src.models.prompted_classifier import PROMPT_LAYOUTS, VERDICT_PROMPT
from src.models.trained import read_trained, trained_folders
from src.models.veracity import TASK, JointVerdict, load_runs
from src.records import VERDICTS, Claim
from src.settings import Flag, Group, Natural, NotNegative, Share, refuse_unread
from src.training.adapters import begin_with, blend, kept_weights
from src.training.classifier import Label
from src.training.entailment.pack import SETS
from src.training.learner import learner_of
from src.training.passages.contraries import contraries_files
from src.training.passages.mixed import ClaimWithPassages, averitec_claims
from src.training.passages.pack import pack_claims
from src.training.passages.scenarios import scenario_files
from src.training.recipe import Recipe, RecipeFlags, Setting, TrainingSettings
from src.training.retrieved import Pairs, read_retrieved
from src.training.task import Material, Task
from src.training.verdicts import examples as making
from src.training.verdicts import scores as scoring
from src.training.verdicts.scores import Learned, all_parts

JOINT, PUBLISHED = "joint", "published"

RECIPES = {
    JOINT: Recipe(JOINT, "mpnet", epochs=2.25, tokens=4096, learning_rate=5e-4, max_length=384, every=100),
    PUBLISHED: Recipe(
        PUBLISHED, "minilm", epochs=20.0, batch=128, learning_rate=1e-5, warmup=0.0, rank=0, max_length=512, every=60,
        patience=100,  # all twenty epochs are run; the best weights are kept
    ),
}  # fmt: skip
NOISE = ("mixtures", "copies", "keep", "lose", "foreign", "honest", "blank")
OPTIONS = ("hide_evidence", "balance", *NOISE)
MET = ("as_met", "pack", "pack_share", "contrast", "scenarios", "contraries", "begin_with", "keep_start")
TEACHER = ("teacher", "teacher_share")

Target = list[float]


class JointRecipe(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the joint recipe, which trains a verdict model on all evidence of a claim at once.

    `hide_evidence`: the model reads only the claim: a baseline.
    `balance`: weight of an example: size of its class ** -balance.
    `mixtures`: mean number of mixtures per claim; a mixture has gold pairs of the claim and pairs of other claims.
    `copies`: examples per claim with retrieved pairs: the first has all of them, the others a few drawn pairs.
    `keep`: probability that a mixture keeps a gold pair.
    `lose`: probability that a mixture loses all gold pairs.
    `foreign`: maximum number of pairs of other claims in a mixture.
    `honest`: share of the mixtures without gold pairs that are labeled Not Enough Evidence.
    `blank`: share of the examples whose questions are blank or repeat the claim.
    `as_met`: maximum number of claims of each set of `pack` that are read among passages of other claims. AVeriTeC's
        claims are then also read so; 0: no such examples.
    `pack`: folder of an inference pack (`<set>.jsonl.gz` files); None: no pack.
    `pack_share`: share of the pack's rows that is used, each without passages of other claims.
    `contrast`: share of the pairs of the pack's rows that differ in one place, and of synthetic passages with
        figures.
    `scenarios`: folder of written scenarios (`<topic>.jsonl` files).
    `contraries`: folder of written contrary claims with pages (`<topic>.jsonl` files).
    `begin_with`: folder of an entailment or verdict model, whose adapter is the start of the training.
    `keep_start`: share of the weights of `begin_with` in the weights that are saved; the rest are the trained
        weights.
    `teacher`: folder of a verdict model, or of several seeds, whose probabilities the model also learns.
    `teacher_share`: weight of the teacher's probabilities in a target; the label has the rest.
    """

    hide_evidence: Annotated[bool, Flag("read the claim alone: a baseline")] = False
    balance: Annotated[Share, Flag("a class counts by its size to the power of minus this")] = 0.5
    mixtures: Annotated[NotNegative, Flag("of gold pairs with other claims' pairs, for each claim")] = 0.25
    copies: Annotated[Natural, Flag("of each claim's retrieved evidence: all, then a few drawn")] = 1
    keep: Annotated[Share, Flag("share of the gold pairs that a mixture keeps")] = 0.7
    lose: Annotated[Share, Flag("share of the mixtures that keep none")] = 0.1
    foreign: Annotated[Natural, Flag("pairs of other claims in a mixture, at most")] = 7
    honest: Annotated[Share, Flag("share of the mixtures without gold that are Not Enough Evidence")] = 0.8
    blank: Annotated[Share, Flag("share of the examples without questions of their own")] = 0.2
    as_met: Annotated[Natural, Flag("also passages among others; this many claims of a set of --pack")] = 0
    pack: Annotated[Path | None, Flag("folder of an inference pack: <set>.jsonl.gz files")] = None
    pack_share: Annotated[Share, Flag("share of the pack's rows that is used, each alone")] = 0.1
    contrast: Annotated[Share, Flag("share of the pairs of rows of --pack that differ in one place")] = 0.0
    scenarios: Annotated[Path | None, Flag("folder of written scenarios: <topic>.jsonl files")] = None
    contraries: Annotated[Path | None, Flag("folder of written contrary claims with pages: <topic>.jsonl files")] = None
    begin_with: Annotated[Path | None, Flag("the adapter of an entailment or verdict model to begin with")] = None
    keep_start: Annotated[Share, Flag("share of the weights of --begin_with in those that are saved")] = 0.0
    teacher: Annotated[Path | None, Flag("a verdict model, or several seeds in its folder, to learn from too")] = None
    teacher_share: Annotated[Share, Flag("how much they count beside the labels")] = 0.5

    @property
    def noise(self) -> making.Noise:
        return making.Noise(self.mixtures, self.copies, self.keep, self.lose, self.foreign, self.honest, self.blank)

    def options(self) -> dict[str, Setting]:
        """Return the recipe's `options`, which results are grouped by.

        Settings that are not in OPTIONS were added later. They are left out where they have no effect, so that older
        results have equal options.
        """
        options: dict[str, Setting] = {name: getattr(self, name) for name in OPTIONS}
        if self.as_met:
            options["as_met"] = self.as_met
        if self.pack is not None:
            options["pack_share"] = self.pack_share
            if self.contrast:
                options["contrast"] = self.contrast
        if self.begin_with is not None and self.keep_start:
            options["keep_start"] = self.keep_start
        if self.teacher is not None:
            options["teacher_share"] = self.teacher_share
        return options

    def inputs(self) -> dict[str, Path]:
        """Return the files that the joint recipe reads, by their names in the manifest."""
        files: dict[str, Path] = {}
        if self.pack is not None:
            files |= {name: self.pack / f"{name}.jsonl.gz" for name in SETS}
        if self.scenarios is not None:
            files |= scenario_files(self.scenarios)
        if self.contraries is not None:
            files |= contraries_files(self.contraries)
        if self.begin_with is not None:
            files["begin_with"] = self.begin_with / ADAPTER
        if self.teacher is not None:
            folders = trained_folders(self.teacher)
            files |= {f"teacher_{place}": folder / ADAPTER for place, folder in enumerate(folders)}
        return files


class VerdictSettings(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training of a verdict model."""

    changes: Annotated[RecipeFlags, Group("recipe (default: that of --recipe)")] = RecipeFlags()
    recipe: Annotated[str, Flag("which model", choices=RECIPES)] = JOINT
    retrieved: Annotated[Path | None, Flag("CSV of evidence that was retrieved for training claims")] = None
    joint: Annotated[JointRecipe, Group("joint recipe")] = JointRecipe()

    @property
    def is_published(self) -> bool:
        return self.recipe == PUBLISHED

    def chosen_recipe(self) -> Recipe:
        """Return the recipe of the training that these settings describe. Raises InputError for unused settings."""
        if self.is_published:
            refuse_unread(self, [*OPTIONS, *MET, *TEACHER], "goes with --recipe joint")
        if self.joint.hide_evidence:
            refuse_unread(self, [*NOISE, *MET, *TEACHER], "changes nothing with --hide_evidence")
        if self.joint.pack is None:
            refuse_unread(self, ["pack_share", "contrast"], "goes with --pack")
        if self.retrieved is None:
            refuse_unread(self, ["copies"], "goes with --retrieved")
        if self.joint.begin_with is None:
            refuse_unread(self, ["keep_start"], "goes with --begin_with")
        if self.joint.teacher is None:
            refuse_unread(self, ["teacher_share"], "goes with --teacher")
        options = {} if self.is_published else self.joint.options()
        return self.changes.over(RECIPES[self.recipe], kind=self.recipe, **options)

    def inputs(self) -> dict[str, Path]:
        """Return the files that the training reads besides the claims, by their names in the manifest."""
        return ({"retrieved": self.retrieved} if self.retrieved else {}) | self.joint.inputs()


def verdict_task(settings: VerdictSettings, material: Material) -> Task:
    """Build the training task of a verdict model.

    Raises InputError when there are no examples, or the base or --begin_with does not fit.
    """
    recipe, published, joint = material.recipe, settings.is_published, settings.joint
    retrieved = read_retrieved(settings.retrieved, material.claims) if settings.retrieved else {}
    examples = _examples(settings, material, retrieved)
    in_words = making.published_pairs if published else gold_pairs
    learned = Learned(
        as_met=bool(joint.as_met),
        pack=joint.pack,
        scenarios=joint.scenarios,
        contraries=joint.contraries,
        contrast=bool(joint.contrast),
    )
    parts = all_parts(material.split, retrieved, learned, in_words, blind=joint.hide_evidence)
    if not examples or not parts:
        raise InputError(
            "no claim with a label and evidence to learn from, or none held out", path=settings.files.train
        )
    if (published or joint.hide_evidence) and is_language_model(material.base):
        raise InputError(
            f"--recipe published and --hide_evidence need an encoder; {material.base.name} is a language model"
        )
    learner = learner_of(material.base, recipe, len(VERDICTS), VERDICT_PROMPT)
    finish = None
    if joint.begin_with is not None:
        if joint.keep_start and read_trained(joint.begin_with).labels != tuple(VERDICTS):
            raise InputError("has no verdict model; --keep_start needs one", path=joint.begin_with)
        begin_with(learner.model, joint.begin_with)
        finish = partial(blend, start=kept_weights(learner.model), share=joint.keep_start) if joint.keep_start else None
    rows, labels = learner.rows([example.text for example in examples]), [VERDICTS.index(e.label) for e in examples]
    targets: Sequence[Label] = labels
    if joint.teacher is not None:
        targets = taught(load_teacher(joint.teacher), [e.text for e in examples], labels, joint.teacher_share)
    weights = making.class_weights(examples, 0.0 if published else joint.balance)
    held_out: Callable[..., Any] = scoring.published_scores if published else scoring.joint_scores
    final: Callable[..., Any] = scoring.published_final if published else scoring.joint_final
    commonest = scoring.commonest_verdict(material.split.train)

    return Task(
        model=learner.model,
        tokenizer=learner.tokenizer,
        layout=PUBLISHED_TEXT if published else CLAIM_ONLY if joint.hide_evidence else learner.layout,
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


def _examples(
    settings: VerdictSettings, material: Material, retrieved: Mapping[int, Pairs]
) -> list[making.VerdictExample]:
    claims = material.split.train
    if settings.is_published:
        return making.published_examples(claims)
    if settings.joint.hide_evidence:
        return making.claim_examples(claims)
    joint, seed = settings.joint, material.recipe.seed
    examples = making.joint_examples(claims, retrieved, joint.noise, seed)
    if joint.as_met:
        examples += making.met_examples(_as_met(joint, claims, seed))
    if joint.pack is not None:
        examples += making.single_examples(joint.pack, joint.pack_share, seed)
        if joint.contrast:
            examples += making.contrast_examples(joint.pack, joint.contrast, seed)
    if joint.scenarios is not None:
        examples += making.scenario_examples(joint.scenarios, seed)
    if joint.contraries is not None:
        examples += making.contrary_examples(joint.contraries, seed)
    return examples


def _as_met(joint: JointRecipe, claims: Sequence[Claim], seed: int) -> list[ClaimWithPassages]:
    """Return training claims with their evidence among that of other claims, as a check meets it.

    They are AVeriTeC's training claims, and at most the number given by `--as_met` from each data set of the inference
    pack.
    """
    mixed = averitec_claims(claims, claims, seed)
    if joint.pack is not None:
        mixed += pack_claims(joint.pack, seed, joint.as_met, held_out=False)
    return mixed


def load_teacher(folder: Path) -> JointVerdict:
    """Load the ensemble of a folder's runs, as a teacher.

    Raises InputError when the runs do not read all evidence of a claim at once.
    """
    if read_trained(folder, TASK).layout not in (LAYOUT, *PROMPT_LAYOUTS):
        raise InputError(
            "is a model of single answers; --teacher needs one that reads all evidence at once", path=folder
        )
    return JointVerdict(load_runs(folder))


def taught(teacher: JointVerdict, inputs: Sequence[Input], labels: Sequence[int], share: float) -> list[Target]:
    """Return training targets, [inputs, verdicts]: the mean of the teacher's probabilities and the labels.

    `share` is the weight of the teacher, 1 - `share` that of the label.
    """
    probabilities = teacher.log_probabilities(inputs).softmax(-1).tolist()
    return [
        [share * chance + (1 - share) * (place == label) for place, chance in enumerate(row)]
        for row, label in zip(probabilities, labels, strict=True)
    ]
