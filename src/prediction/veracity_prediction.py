"""Step: the verdict on each claim from its evidence.

Reads the evidence, writes one JSON list of predictions. A claim without evidence stays in it as Not Enough Evidence and
no model is asked. Published flags, but that a published checkpoint is used only where it stands; without one our own
model judges, and without that a language model scores the four labels.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.errors import InputError
from src.llm import get_llm
from src.llm.flags import SCALE, add_model_flags, model_file, options_from
from src.models.veracity import Judgement
from src.prediction.verdicts import (
    DEFAULT_LLM,
    LLM,
    OURS,
    PUBLISHED,
    VERDICT_MODELS,
    Loading,
    chosen_verdict_model,
    judge,
    llm_verdict_model,
    load_verdict_model,
    predicted,
    verdict_files,
)
from src.records import Evidence, Prediction, Verdict
from src.runner.arguments import add_range, existing_file, in_range, refuse_unread, step, step_parser
from src.runner.job import Engine, Job, run
from src.store import read_by_claim

MODULE = "src.prediction.veracity_prediction"
BATCH = 10  # claims; shards cut at multiples of it give the bytes of an undivided run


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--claim_with_evidence_file", type=Path,
                       default=Path("data_store/dev_top_3_rerank_qa.json"), help="evidence of each claim")  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_veracity_prediction.json",
                       help="predictions, one JSON list")  # fmt: skip
    flags.add_argument("-ckpt", "--best_checkpoint", type=Path,
                       help="published .ckpt, converted folder or trained folder (default: the first that is "
                       f"there of {PUBLISHED} and {OURS}; without them --llm {DEFAULT_LLM})")  # fmt: skip
    flags.add_argument("--verdict", choices=[*VERDICT_MODELS, LLM], help="the verdict model by name: "
                       "stacked reads the stance of each piece of evidence and says how far to rely on the verdict, "
                       "trained reads all evidence at once, published is the published BERT, llm is --llm")  # fmt: skip
    add_model_flags(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    source = existing_file(args.claim_with_evidence_file, "src.reranking.rerank_questions")
    claims = in_range(read_by_claim(source, Evidence), args.start, args.end, source)
    notes = choose_model(args)
    if args.llm is None:
        refuse_unread(args, flags, SCALE, "goes with --llm: no language model judges")
    inputs = {"claim_with_evidence_file": source, **model_file(args.llm)}
    if args.best_checkpoint is not None:
        inputs |= verdict_files(args.best_checkpoint)
    return run(
        Job(
            step=MODULE,
            args=args,
            claims=claims,
            inputs=inputs,
            start=lambda: _start(args, notes),
            without_result=lambda claim: predicted(claim, Judgement(Verdict.NOT_ENOUGH_EVIDENCE)),
            as_list=True,
            batch=BATCH,
        )
    )


def choose_model(args: argparse.Namespace) -> list[str]:
    """Fill in the checkpoint or the language model, whichever was not given; return notes for the user."""
    if args.verdict is not None and args.best_checkpoint is not None:
        raise InputError("--best_checkpoint and --verdict name two models; give one of them")
    if args.verdict == LLM:
        args.llm = args.llm or DEFAULT_LLM
    elif args.verdict is not None:
        args.best_checkpoint = VERDICT_MODELS[args.verdict]
    if args.best_checkpoint is not None and args.llm is not None:
        raise InputError("--best_checkpoint and --llm name two models; give one of them")
    if args.best_checkpoint is None and args.llm is None:
        args.best_checkpoint, notes = chosen_verdict_model()
        args.llm = DEFAULT_LLM if args.best_checkpoint is None else None
        return notes
    return []


def _start(args: argparse.Namespace, notes: Sequence[str]) -> Engine[Evidence, Prediction]:
    if args.best_checkpoint is not None:
        model = load_verdict_model(args.best_checkpoint, Loading(args.dtype, args.device))
        return Engine(partial(judge, model), model=model.info, notes=notes, deterministic=model.info.deterministic)
    scorer = llm_verdict_model(get_llm(args.llm, options_from(args)))
    return Engine(
        partial(judge, scorer),
        scorer.info,
        notes,
        deterministic=scorer.info.deterministic,
        estimate=scorer.estimate,
    )


if __name__ == "__main__":
    raise SystemExit(main())
