"""Step: verdicts by an encoder that is fine-tuned on 20 claims, for each of 10 seeds: Table 1's groups I and II.

Reads the claims of HOVER or FEVEROUS-S with their gold evidence. For each seed, equally many true and false claims are
drawn from --tune_ids and learned. The claims of --ids are then predicted from claim and evidence. The verdicts are
written to OUTPUT/seed_N.json in the form of execute_programs; evaluate_programs scores them. OUTPUT/summary.json holds
mean and spread of macro-F1 over the seeds. A finished seed is not trained again. A claim that failed is unknown, which
counts as refutes; the other claims and seeds go on.

Pan et al., ACL 2023, section 4 and appendix A: group I are pre-trained encoders (BERT-FC) and encoder-decoders (LisT5).
Group II are models that were trained on fact checking or inference before; one of them is a Longformer. The paper
trains all weights and states neither learning rates nor epochs. Those used here come from the methods' released code
(`src/training/few_shot/recipes.py`). An encoder reads as many tokens as it has positions; longer inputs are cut and
counted.

Limitations: a classifier that this project trained on claims of --tune_ids has seen more than 20 examples.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from src.claims.labelled import LabelledClaim, read_labelled_claims
from src.claims.texts import apart, passed_over, with_keys
from src.errors import InputError, require
from src.programs.answerers.evidence import EvidenceSource
from src.programs.baselines.evidence_flags import add_evidence_flags, check_evidence_flags, source_from
from src.programs.baselines.seeds import check_summary, summarise, summary_file, trace_file
from src.programs.baselines.whole_verdicts import as_input, drawn, evidence_of, learned_engine
from src.programs.records import ClaimTrace, without_result
from src.records import Value
from src.runner.arguments import in_range, natural, output_folder, positive, step, step_parser
from src.runner.console import say
from src.runner.job import Engine, Job
from src.runner.run_all import run_all
from src.training.few_shot.encoders import Encoder, find_encoder
from src.training.few_shot.fine_tune import Shot, fine_tune, recipe_of
from src.training.few_shot.recipe_flags import add_recipe_flags, choices_from, settle
from src.training.recipe import Recipe

MODULE = "src.programs.few_shot"
BATCH = 50  # claims


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    add = flags.add_argument
    add("-c", "--claim_file", type=Path, required=True, help="HOVER's or FEVEROUS-S's claims with their evidence")
    add("--ids", type=Path, help="the claims to predict, by their data set's own ids, one a line")
    add("--tune_ids", type=Path, required=True, help="claims to draw examples from, none of those to predict")
    add("--encoder", required=True, help="minilm, mpnet, hf:FOLDER, hf:OWNER/NAME (an encoder, a Longformer or a T5), "
        "or the folder of a classifier that was trained here")  # fmt: skip
    add("--examples", type=positive, default=20, help="to learn from, half of them true")
    add("--seeds", type=positive, default=10, help="how many times examples are drawn and learned")
    add("--seed", type=natural, default=0, help="the first of them")
    add_recipe_flags(flags)
    add_evidence_flags(flags)
    add("-o", "--output_folder", type=Path, required=True, help="seed_N.json and summary.json go there")
    add("--json", type=Path, metavar="FILE", help="write the summary here instead")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    began = time.perf_counter()
    flags = parser()
    args = flags.parse_args(argv)
    _check(args, flags)
    everyone = read_labelled_claims(args.claim_file)
    for note in passed_over(everyone, args.ids):
        say(f"few_shot: note: {note}", quiet=args.quiet)
    claims = in_range(with_keys(everyone, args.ids), 0, -1, args.claim_file)
    tune = [one for one in apart(everyone, claims, args.tune_ids) if one.gold]
    shots = {seed: drawn(tune, args.examples, seed) for seed in range(args.seed, args.seed + args.seeds)}
    require("peft", "training")
    encoder = find_encoder(args.encoder)
    recipes = {seed: recipe_of(encoder, seed, choices_from(args)) for seed in shots}
    settle(args, recipes[args.seed])
    source = cache(lambda: source_from(args, [*claims, *tune]))
    jobs = [_job(args, encoder, claims, shots[seed], recipes[seed], source) for seed in shots]
    code = run_all(jobs, alike=True)
    if not args.dry_run:
        summarise(MODULE, args, _inputs(args), encoder.info, claims, tune, list(shots), began)
    return code


def _check(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Raise InputError if the flags do not go together."""
    if args.examples % 2:
        raise InputError(f"--examples {args.examples}: half of them are to be true, so the number must be even")
    if args.seed + args.seeds > 2**32:
        raise InputError(f"--seed {args.seed} --seeds {args.seeds}: seeds are below 2 to the power of 32")
    check_evidence_flags(args, flags)
    output_folder(args.output_folder)
    check_summary(MODULE, summary_file(args), args.output_folder, _inputs(args))


def _job(
    args: argparse.Namespace,
    encoder: Encoder,
    claims: list[LabelledClaim],
    shots: list[LabelledClaim],
    recipe: Recipe,
    source: Callable[[], EvidenceSource],
) -> Job[LabelledClaim, ClaimTrace]:
    """Return the job of one seed. Its settings contain the recipe, but not the number of seeds."""
    output = str(trace_file(args.output_folder, recipe.seed))
    more = {"rank": recipe.rank, "encoder_sha256": encoder.sha256, "seed": recipe.seed, "output": output}
    own = argparse.Namespace(**vars(args) | more)
    del own.seeds, own.output_folder
    return Job(
        step=MODULE,
        settings=own,
        claims=claims,
        inputs=_inputs(args),
        start=lambda: _engine(encoder, shots, recipe, source(), args),
        without_result=lambda one: without_result(one.claim_id, one.claim),
        batch=BATCH,
        numbered=claims,
    )


def _engine(
    encoder: Encoder, shots: list[LabelledClaim], recipe: Recipe, source: EvidenceSource, args: argparse.Namespace
) -> Engine[LabelledClaim, ClaimTrace]:
    found = zip(shots, evidence_of(shots, source), strict=True)
    examples = [Shot(as_input(one, text), one.value is Value.TRUE) for one, text in found]
    learned = fine_tune(encoder, examples, recipe, tried=args.dry_run)
    told = f"{len(shots)} examples learned in {learned.seconds:.0f} s, {learned.learned:.0%} of them are told right"
    if cut := sum(learned.cut([one.text for one in examples])):
        told += f"; {cut} are longer than the {recipe.max_length} word pieces that are read, and were cut"
    say(f"few_shot: seed {recipe.seed}: {told}", quiet=args.quiet or args.dry_run)
    return learned_engine(learned, source)


def _inputs(args: argparse.Namespace) -> dict[str, Path]:
    named = {"claim_file": args.claim_file, "ids": args.ids, "tune_ids": args.tune_ids, "corpus": args.corpus}
    return {name: path for name, path in named.items() if path is not None}


if __name__ == "__main__":
    raise SystemExit(main())
