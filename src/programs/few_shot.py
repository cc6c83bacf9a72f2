"""Step: verdicts by an encoder that is fine-tuned on 20 claims, for each of 10 seeds: Table 1's groups I and II.

Reads the claims of HOVER or FEVEROUS-S with their gold evidence. For each seed as many true as false claims are drawn
from --tune_ids and learned; the claims of --ids are then predicted from claim and evidence, and written to
OUTPUT/seed_N.json in the form of execute_programs, so that evaluate_programs scores them. OUTPUT/summary.json holds
mean and spread of macro-F1 over the seeds. A seed that is done is not trained again. A claim that failed stands as
unknown, which counts as refutes; the other claims and seeds go on.

The recipe is the same for every encoder and fixed: that of `src/training/shots/fine_tune.py`. Pan et al., ACL 2023,
section 4 and appendix A: group I are pre-trained encoders, group II those that were trained on fact checking or
inference before.

But: a classifier of ours that was trained on claims of --tune_ids has seen more than 20 examples.
"""

import argparse
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from src.claims.labelled import LabelledClaim, read_labelled_claims
from src.claims.texts import apart, passed_over, with_keys
from src.errors import InputError
from src.llm.extras import require
from src.programs.answering.evidence import CorpusEvidence, EvidenceSource, FoundOnce, GoldEvidence
from src.programs.baselines.seeds import check_summary, summarise, summary_file, trace_file
from src.programs.baselines.whole_verdicts import as_input, drawn, evidence_of, learned_engine
from src.programs.records import ClaimTrace, without_result
from src.records import Value
from src.reranking.corpus.corpus import Corpus
from src.runner.arguments import in_range, natural, output_folder, positive, refuse_unread, step, step_parser
from src.runner.console import say
from src.runner.job import Engine, Job
from src.runner.run_all import run_all
from src.training.shots.encoders import Encoder, find_encoder
from src.training.shots.fine_tune import RECIPE, Shot, fine_tune

MODULE = "src.programs.few_shot"
BATCH = 50  # claims
TOP_K = 10  # passages of a corpus for a claim


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    add = flags.add_argument
    add("-c", "--claim_file", type=Path, required=True, help="HOVER's or FEVEROUS-S's claims with their evidence")
    add("--ids", type=Path, help="the claims to predict, by their data set's own ids, one a line")
    add("--tune_ids", type=Path, required=True, help="claims to draw examples from, none of those to predict")
    add("--encoder", required=True, help="minilm, mpnet, hf:FOLDER, hf:OWNER/NAME, or the folder of a classifier that "
        "was trained here")  # fmt: skip
    add("--examples", type=positive, default=20, help="to learn from, half of them true")
    add("--seeds", type=positive, default=10, help="how many times examples are drawn and learned")
    add("--seed", type=natural, default=0, help="the first of them")
    add("--setting", choices=["gold", "open"], default="gold", help="evidence: gold, or what the claim finds")
    add("--corpus", type=Path, help="titled paragraphs, for --setting open")
    add("--index_dir", type=Path, help="where the corpus's index is kept (default: beside it)")
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
    source = cache(lambda: _source(args, [*claims, *tune]))
    jobs = [_job(args, encoder, claims, shots[seed], seed, source) for seed in shots]
    code = run_all(jobs, alike=True)
    if not args.dry_run:
        summarise(MODULE, args, _inputs(args), encoder.info, claims, tune, list(shots), began)
    return code


def _check(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Raises InputError when what is asked for does not go together."""
    if args.examples % 2:
        raise InputError(f"--examples {args.examples}: half of them are to be true, so the number must be even")
    if args.seed + args.seeds > 2**32:
        raise InputError(f"--seed {args.seed} --seeds {args.seeds}: seeds are below 2 to the power of 32")
    if args.setting == "gold":
        refuse_unread(args, flags, ["corpus", "index_dir"], "goes with --setting open")
    elif args.corpus is None:
        raise InputError("--setting open takes --corpus")
    output_folder(args.output_folder)
    check_summary(MODULE, summary_file(args), args.output_folder, _inputs(args))


def _job(
    args: argparse.Namespace,
    encoder: Encoder,
    claims: list[LabelledClaim],
    shots: list[LabelledClaim],
    seed: int,
    source: Callable[[], EvidenceSource],
) -> Job[LabelledClaim, ClaimTrace]:
    """One seed as a run of its own: how many others there are is no setting of it, the recipe is."""
    recipe = {name: getattr(RECIPE, name) for name in ("epochs", "batch", "learning_rate", "rank", "max_length")}
    output = str(trace_file(args.output_folder, seed))
    more = recipe | {"encoder_sha256": encoder.sha256, "seed": seed, "output": output}
    own = argparse.Namespace(**vars(args) | more)
    del own.seeds, own.output_folder
    return Job(
        step=MODULE,
        args=own,
        claims=claims,
        inputs=_inputs(args),
        start=lambda: _engine(encoder, shots, seed, source(), args),
        without_result=lambda one: without_result(one.claim_id, one.claim),
        batch=BATCH,
        numbered=claims,
    )


def _engine(
    encoder: Encoder, shots: list[LabelledClaim], seed: int, source: EvidenceSource, args: argparse.Namespace
) -> Engine[LabelledClaim, ClaimTrace]:
    found = zip(shots, evidence_of(shots, source), strict=True)
    examples = [Shot(as_input(one, text), one.value is Value.TRUE) for one, text in found]
    learned = fine_tune(encoder, examples, seed, tried=args.dry_run)
    told = f"{len(shots)} examples learned in {learned.seconds:.0f} s, {learned.learned:.0%} of them are told right"
    say(f"few_shot: seed {seed}: {told}", quiet=args.quiet or args.dry_run)
    return learned_engine(learned, source)


def _source(args: argparse.Namespace, claims: Sequence[LabelledClaim]) -> EvidenceSource:
    if args.setting == "gold":
        return GoldEvidence({one.claim_id: one.gold for one in claims})
    return FoundOnce(CorpusEvidence(Corpus.open(args.corpus, args.index_dir, keep=not args.dry_run).bm25, TOP_K))


def _inputs(args: argparse.Namespace) -> dict[str, Path]:
    named = {"claim_file": args.claim_file, "ids": args.ids, "tune_ids": args.tune_ids, "corpus": args.corpus}
    return {name: path for name, path in named.items() if path is not None}


if __name__ == "__main__":
    raise SystemExit(main())
