"""Step: the best question-answer pairs of each claim, as its evidence.

Reads the candidates, writes one line per claim with its `--top_n` best pairs, best first. The flags are the published
ones. By default the published checkpoint ranks if it is installed. Without it our own model ranks, and without that the
cosine of sentence embeddings.
"""

import argparse
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from src.models.bert import classifier_files
from src.models.reranker import RERANKER_HELP, chosen_reranker, keeps_duplicates, load_reranker
from src.records import CandidateQuestions, Evidence
from src.reranking.ranked_evidence import rerank
from src.reranking.select import SELECT_HELP, Select
from src.runner.arguments import (
    add_range,
    existing_file,
    in_range,
    positive,
    refuse_unread,
    step,
    step_parser,
)
from src.runner.job import Engine, Job, run
from src.stance.evidence import select_evidence
from src.stance.reader import READER, load_stance_reader
from src.store import read_by_claim

MODULE = "src.reranking.rerank_questions"
BATCH = 10  # claims; shards cut at multiples of it give the bytes of an undivided run


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--top_k_qa_file", type=Path, default=Path("data_store/dev_top_k_qa.json"),
                       help="candidate pairs of each claim")  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_top_3_rerank_qa.json",
                       help="evidence, one claim a line")  # fmt: skip
    flags.add_argument("-ckpt", "--best_checkpoint", "--reranker", type=Path, help=RERANKER_HELP)
    flags.add_argument("--top_n", type=positive, default=3, help="pairs for each claim")
    flags.add_argument("--select", choices=[*map(str, Select)], default=str(Select.LIKENESS), help=SELECT_HELP)
    flags.add_argument("--entailment", type=Path, help=f"the model that reads stances (default: {READER})")
    flags.add_argument("--duplicates", choices=["keep", "drop"],
                       help="repeated answers (default: keep with a published checkpoint, else drop)")  # fmt: skip
    flags.add_argument("--dtype", choices=["float32", "bfloat16"], help="number format (default: float32 for a "
                       "published checkpoint, else bfloat16 where the device computes in it)")  # fmt: skip
    flags.add_argument("--device", help="cpu, cuda, ... (default: a GPU where there is one)")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    source = existing_file(args.top_k_qa_file, "src.reranking.question_generation_top_sentences")
    claims = in_range(read_by_claim(source, CandidateQuestions), args.start, args.end, source)
    if args.select == Select.STANCE:
        return _select(args, flags, claims, source)
    refuse_unread(args, flags, ["entailment"], "goes with --select stance")
    args.best_checkpoint, notes = chosen_reranker(args.best_checkpoint)
    if args.best_checkpoint is None:
        refuse_unread(args, flags, ["dtype", "device"], "changes nothing: the cosine ranks")
    args.duplicates = args.duplicates or ("keep" if keeps_duplicates(args.best_checkpoint) else "drop")
    inputs = {"top_k_qa_file": source}
    if args.best_checkpoint is not None:
        inputs |= classifier_files(args.best_checkpoint)

    def start() -> Engine[CandidateQuestions, Evidence]:
        reranker = load_reranker(args.best_checkpoint, args.dtype, args.device)
        work = partial(rerank, reranker, args.top_n, args.duplicates == "keep")
        return Engine(work, model=reranker.info, notes=notes, deterministic=reranker.info.deterministic)

    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs=inputs,
            start=start,
            without_result=lambda claim: Evidence(claim.claim_id, claim.claim, []),
            batch=BATCH,
        )
    )


def _select(
    args: argparse.Namespace, flags: argparse.ArgumentParser, claims: list[CandidateQuestions], source: Path
) -> int:
    """Run the step with --select stance: keep the pairs that decide."""
    refuse_unread(args, flags, ["best_checkpoint", "duplicates"], "changes nothing with --select stance")
    args.entailment = args.entailment or READER

    def start() -> Engine[CandidateQuestions, Evidence]:
        reader = load_stance_reader(args.entailment, args.dtype, args.device)
        work = partial(select_evidence, reader, args.top_n)
        return Engine(work, model=reader.info, deterministic=reader.info.deterministic)

    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs={"top_k_qa_file": source} | classifier_files(args.entailment, "entailment"),
            start=start,
            without_result=lambda claim: Evidence(claim.claim_id, claim.claim, []),
            batch=BATCH,
        )
    )


if __name__ == "__main__":
    raise SystemExit(main())
