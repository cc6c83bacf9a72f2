"""Step: predict the verdict on each claim from its evidence.

Reads the evidence and writes one JSON list of predictions. A claim without evidence is Not Enough Evidence, and no
model is asked. The flags are the published ones. A published checkpoint is used only if it exists; else our own model
judges, and without that a language model scores the four labels.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.errors import InputError
from src.llm import get_llm
from src.llm.flags import SCALE, add_model_flags, model_file, options_from
from src.prediction.verdicts import (
    DEFAULT_LLM,
    LLM,
    OURS,
    PUBLISHED,
    VERDICT_HELP,
    VERDICT_MODELS,
    Loading,
    chosen_verdict_model,
    has_levels,
    judge,
    llm_verdict_model,
    load_verdict_model,
    named_verdict_model,
    predicted,
    unasked,
    verdict_files,
)
from src.records import Evidence, Prediction
from src.runner.arguments import add_range, existing_file, in_range, refuse_unread, step, step_parser
from src.runner.job import Engine, Job, run
from src.store import read_by_claim

MODULE = "src.prediction.veracity_prediction"
BATCH = 10  # claims; shards that are cut at multiples of it give the same bytes as one run


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--claim_with_evidence_file", type=Path,
                       default=Path("data_store/dev_top_3_rerank_qa.json"), help="evidence of each claim")  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_veracity_prediction.json",
                       help="predictions, one JSON list")  # fmt: skip
    flags.add_argument("-ckpt", "--best_checkpoint", type=Path,
                       help="published .ckpt, converted folder or trained folder (default: the first that is "
                       f"there of {PUBLISHED} and {OURS}; without them --llm {DEFAULT_LLM})")  # fmt: skip
    flags.add_argument("--verdict", metavar="NAME|PATH", help=VERDICT_HELP)
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
            settings=args,
            claims=claims,
            inputs=inputs,
            start=lambda: _start(args, notes),
            without_result=partial(_without_result, args.best_checkpoint),
            as_list=True,
            batch=BATCH,
        )
    )


def _without_result(source: Path | None, claim: Evidence) -> Prediction:
    """Return the prediction for a claim on which the model of `source` failed (None: a language model)."""
    return predicted(claim, unasked(has_levels=source is not None and has_levels(source)))


def choose_model(args: argparse.Namespace) -> list[str]:
    """Set the checkpoint or the language model, whichever was not given; return notes for the user.

    Raises: InputError if two models are named, or one that does not exist.
    """
    named = {"best_checkpoint": args.best_checkpoint, "verdict": args.verdict}
    named |= {} if args.verdict == LLM else {"llm": args.llm}
    if len(given := [f"--{flag}" for flag, model in named.items() if model is not None]) > 1:
        raise InputError(f"{' and '.join(given[:2])} name two models; give one of them")
    notes: list[str] = []
    if args.verdict is not None:
        args.best_checkpoint = named_verdict_model(args.verdict)
        args.verdict = args.verdict if args.verdict in (*VERDICT_MODELS, LLM) else None  # a path is not a setting
    elif not given:
        args.best_checkpoint, notes = chosen_verdict_model()
    if args.best_checkpoint is None:
        args.llm = args.llm or DEFAULT_LLM
    return notes


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
