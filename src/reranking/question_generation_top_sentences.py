"""Step: for each of a claim's sentences, the question that it answers, written by a language model.

Reads the ranked sentences and, for in-context examples, a reference corpus. Writes one line per claim with its
candidates `[question, answer, url]` in the order of the sentences. `--llm bigscience/bloom-7b1` follows the published
recipe. A model with an adapter was trained to write questions: it sees the claim and needs no examples.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from src.evaluation.meteor import meteor_table
from src.llm import get_llm
from src.llm.adapter import CONFIG, WEIGHTS
from src.llm.flags import model_file, options_from
from src.records import CandidateQuestions, Claim, RankedSentences
from src.reranking.questions.flags import add_writer_flags, recipe_from, writer_from
from src.reranking.questions.recipe import Recipe
from src.reranking.top_file import read_ranked
from src.runner.arguments import add_range, existing_file, in_range, positive, step, step_parser
from src.runner.job import Engine, Job, run
from src.store import read_claims

MODULE = "src.reranking.question_generation_top_sentences"


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("--reference_corpus", type=Path, default=Path("data/train.json"),
                       help="claims with gold pairs, for recipes that show examples")  # fmt: skip
    flags.add_argument("--target_file", help="not used; kept for published command lines")
    flags.add_argument("-i", "--top_k_target_knowledge", type=Path,
                       default=Path("data_store/dev_top_k_sentences.json"), help="ranked sentences")  # fmt: skip
    flags.add_argument("-o", "--output_questions", dest="output", default="data_store/dev_top_k_qa.json",
                       help="candidate pairs, one claim a line")  # fmt: skip
    flags.add_argument("--top_k", type=positive, default=100, help="sentences of each claim at most")
    add_writer_flags(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    source = existing_file(args.top_k_target_knowledge, "src.reranking.bm25_sentences")
    ranked = read_ranked(source)
    recipe, notes = recipe_from(args)
    reference = read_claims(args.reference_corpus) if recipe.num_examples else None
    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=in_range(ranked, args.start, args.end, source),
            inputs=_inputs(args, with_examples=reference is not None),
            start=lambda: _start(args, recipe, reference, notes),
            without_result=lambda claim: CandidateQuestions(claim.claim_id, claim.claim, []),
        )
    )


def _inputs(args: argparse.Namespace, *, with_examples: bool) -> dict[str, Path]:
    """Return the files whose content makes the output. A corpus that is not read is removed from the arguments."""
    inputs = {"top_k_target_knowledge": args.top_k_target_knowledge, **model_file(args.llm)}
    if with_examples:
        inputs["reference_corpus"] = args.reference_corpus
    else:
        args.reference_corpus = None
    if args.adapter is not None:
        inputs |= {"adapter": args.adapter / WEIGHTS, "adapter_config": args.adapter / CONFIG}
    return inputs


def _start(
    args: argparse.Namespace, recipe: Recipe, reference: Sequence[Claim] | None, notes: Sequence[str]
) -> Engine[RankedSentences, CandidateQuestions]:
    model = get_llm(args.llm, options_from(args))
    writer, left_out = writer_from(args, model, recipe, reference, meteor_table, args.top_k)
    return Engine(
        work=writer.write_all,
        model=model.info,
        notes=[*notes, *left_out],
        deterministic=model.info.deterministic,
        estimate=writer.estimate,
    )


if __name__ == "__main__":
    raise SystemExit(main())
