"""Step: verdicts by an encoder that is fine-tuned on 20 claims, for each of 10 seeds: Table 1's groups I and II.

Reads the claims of HOVER or FEVEROUS-S with their gold evidence. For each seed, equally many true and false claims are
drawn from --tune_ids and learned. The claims of --ids are then predicted from claim and evidence. The verdicts are
written to OUTPUT/seed_N.json in the form of execute_programs; evaluate_programs scores them. OUTPUT/summary.json holds
mean and spread of macro-F1 over the seeds. A finished seed is not trained again. A claim that failed is unknown, which
counts as refutes; the other claims and seeds go on.

Pan et al., ACL 2023, section 4 and appendix A: group I are pre-trained encoders (BERT-FC) and encoder-decoders (LisT5).
Group II are models that were trained on fact checking or inference before; one of them is a Longformer. The paper
trains all weights and states neither learning rates nor epochs. Those used here come from the methods' released code
(`src/training/few_shot.py`). An encoder reads as many tokens as it has positions; longer inputs are cut and
counted.

Limitations: a classifier that this project trained on claims of --tune_ids has seen more than 20 examples.
"""

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.claims import LabelledClaim, apart, passed_over, read_labelled_claims, with_keys
from src.errors import InputError, require
from src.programs.answerers.evidence import EvidenceSource
from src.programs.baselines.evidence import EvidenceSettings, evidence_of, sample_examples, source_of
from src.programs.baselines.few_shot import Summary, as_input, check_summary, learned_engine, summarise, trace_file
from src.programs.records import ClaimTrace, without_result
from src.records import Value
from src.runner.claim_range import in_range
from src.runner.console import say
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.paths import output_folder
from src.runner.run_all import run_all
from src.runner.step import step
from src.settings import Flag, Group, JobSettings, Positive, Seed, StepSettings
from src.training.few_shot import Choices, Shot, fine_tune, recipe_of
from src.training.few_shot_encoders import Encoder, find_encoder
from src.training.recipe import Recipe

MODULE = "src.programs.few_shot"
BATCH = 50  # claims
RECIPE = ("train", "learning_rate", "epochs", "batch", "max_length")  # what a summary names of it


class LearningSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the training: the encoder, and the claims from which it learns and which it predicts.

    `seed` is the first seed in the settings of the step, and the seed of the job in the settings of a job.
    """

    claim_file: Annotated[Path, Flag("HOVER's or FEVEROUS-S's claims with their evidence", "-c")]
    ids: Annotated[Path | None, Flag("the claims to predict, by their data set's own ids, one a line")] = None
    tune_ids: Annotated[Path, Flag("claims to draw examples from, none of those to predict")]
    encoder: Annotated[
        str,
        Flag(
            "minilm, mpnet, hf:FOLDER, hf:OWNER/NAME (an encoder, a Longformer or a T5), or the folder of a classifier "
            "that was trained here"
        ),
    ]
    examples: Annotated[Positive, Flag("examples to learn from, half of them true")] = 20
    seed: Annotated[Seed, Flag("the first seed")] = 0
    training: Annotated[Choices, Group("training")] = Choices()
    evidence: Annotated[EvidenceSettings, Group()] = EvidenceSettings()
    json: Annotated[Path | None, Flag("write the summary here instead", metavar="FILE")] = None

    def inputs(self) -> dict[str, Path]:
        named = {
            "claim_file": self.claim_file,
            "ids": self.ids,
            "tune_ids": self.tune_ids,
            "corpus": self.evidence.search.corpus,
        }
        return {name: path for name, path in named.items() if path is not None}


class FewShotSettings(StepSettings, frozen=True, kw_only=True):
    """Settings of `few_shot`."""

    learning: Annotated[LearningSettings, Group()]
    seeds: Annotated[Positive, Flag("how many times examples are drawn and learned")] = 10
    output_folder: Annotated[Path, Flag("seed_N.json and summary.json go there", "-o", "--output_folder")]

    @property
    def summary(self) -> Path:
        return self.learning.json or self.output_folder / "summary.json"

    def check(self) -> None:
        """Raise InputError if settings contradict each other, or if an existing file would be lost."""
        examples, seed = self.learning.examples, self.learning.seed
        if examples % 2:
            raise InputError(f"--examples {examples}: half of them are to be true, so the number must be even")
        if seed + self.seeds > 2**32:
            raise InputError(f"--seed {seed} --seeds {self.seeds}: seeds are below 2 to the power of 32")
        self.learning.evidence.check()
        output_folder(self.output_folder)
        check_summary(MODULE, self.summary, self.output_folder, self.learning.inputs())


class SeedSettings(JobSettings, frozen=True, kw_only=True):
    """Settings of the job of one seed: those that its output depends on.

    The recipe of the training is among them, the number of seeds is not.
    """

    learning: Annotated[LearningSettings, Group()]
    rank: Annotated[int, Flag("of LoRA; 0: all weights are trained")]
    encoder_sha256: Annotated[str | None, Flag("hash of the encoder")]
    output: Annotated[Path, Flag("its file")]


@step(FewShotSettings)
def main(settings: FewShotSettings) -> int:
    began = time.perf_counter()
    settings.check()
    learning = settings.learning
    everyone = read_labelled_claims(learning.claim_file)
    for note in passed_over(everyone, learning.ids):
        say(f"few_shot: note: {note}", quiet=settings.quiet)
    claims = in_range(with_keys(everyone, learning.ids), 0, -1, learning.claim_file)
    tune = [one for one in apart(everyone, claims, learning.tune_ids) if one.gold]
    seeds = range(learning.seed, learning.seed + settings.seeds)
    shots = {seed: sample_examples(tune, learning.examples, seed) for seed in seeds}
    require("peft", "training")
    encoder = find_encoder(learning.encoder)
    recipes = {seed: recipe_of(encoder, seed, learning.training) for seed in shots}
    learning = replace(learning, training=learning.training.resolved(recipes[learning.seed]))
    settings = replace(settings, learning=learning)
    source = cache(lambda: source_of(learning.evidence, [*claims, *tune], keep_index=not settings.dry_run))
    jobs = [_job(settings, encoder, claims, shots[seed], recipes[seed], source) for seed in shots]
    code = run_all(jobs, alike=True)
    if not settings.dry_run:
        blank = Summary(learning.encoder, learning.evidence.setting, learning.examples, list(seeds), [],
                        {name: getattr(learning.training, name) for name in RECIPE})  # fmt: skip
        traces = {f"seed_{seed}": trace_file(settings.output_folder, seed) for seed in seeds}
        summarise(MODULE, settings, blank, settings.summary, learning.inputs(), traces, claims, tune, encoder.info,
                  began)  # fmt: skip
    return code


def _job(
    settings: FewShotSettings,
    encoder: Encoder,
    claims: list[LabelledClaim],
    shots: list[LabelledClaim],
    recipe: Recipe,
    source: Callable[[], EvidenceSource],
) -> Job[LabelledClaim, ClaimTrace]:
    own = SeedSettings(
        overwrite=settings.overwrite,
        quiet=settings.quiet,
        dry_run=settings.dry_run,
        learning=replace(settings.learning, seed=recipe.seed),
        rank=recipe.rank,
        encoder_sha256=encoder.sha256,
        output=trace_file(settings.output_folder, recipe.seed),
    )
    return Job(
        step=MODULE,
        settings=own,
        claims=claims,
        inputs=settings.learning.inputs(),
        start=lambda: _engine(encoder, shots, recipe, source(), settings),
        without_result=lambda one: without_result(one.claim_id, one.claim),
        batch=BATCH,
        on_cluster="here",  # each worker would train the model again
        numbered=claims,
    )


def _engine(
    encoder: Encoder, shots: list[LabelledClaim], recipe: Recipe, source: EvidenceSource, settings: FewShotSettings
) -> Engine[LabelledClaim, ClaimTrace]:
    with_evidence = zip(shots, evidence_of(shots, source), strict=True)
    examples = [Shot(as_input(one, text), one.value is Value.TRUE) for one, text in with_evidence]
    learned = fine_tune(encoder, examples, recipe, tried=settings.dry_run)
    message = (
        f"{len(shots)} examples learned in {learned.seconds:.0f} s, {learned.learned:.0%} of them predicted correctly"
    )
    if cut := sum(learned.cut([one.text for one in examples])):
        message += f"; {cut} are longer than the {recipe.max_length} word pieces that are read, and were cut"
    say(f"few_shot: seed {recipe.seed}: {message}", quiet=settings.quiet or settings.dry_run)
    return learned_engine(learned, source)


if __name__ == "__main__":
    raise SystemExit(main())
