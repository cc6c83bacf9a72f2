"""Step: explain verdicts by their evidence; each sentence has the numbers of the evidence that it cites.

Reads predictions, lines of claims with a label and evidence or a source, or PolitiHop; writes one line per claim.
`template` needs no model: one or two sentences of the evidence, then the verdict. `stance` reads the evidence with the
entailment model and says "so the claim is ..." only if a cited sentence proves the verdict. `reasoning` keeps the text
that the verdict model wrote before its verdict; without such a text it works as `stance`. `zero_shot` and `cot` ask a
language model, which reads the evidence nearest to the claim. `--predictions` also writes a list of predictions with
the explanations as justifications.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.justified import add_justified_flag, take_justified
from src.explanation.politihop import PUBLISHED, published_sample, read_politihop
from src.explanation.reasoning import by_reasoning
from src.explanation.records import ExplainedClaim
from src.explanation.template import template
from src.explanation.writer import COT, ZERO_SHOT, Writer, explained
from src.llm import get_llm
from src.llm.flags import SCALE, add_model_flags, model_file, options_from
from src.models.bert import classifier_files
from src.runner.arguments import add_range, existing_file, in_range, positive, refuse_unread, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.outcome import Outcome
from src.stance.reader import READER, load_stance_reader

MODULE = "src.explanation.generate_explanations"
TEMPLATE, STANCE, REASONING = "template", "stance", "reasoning"
OF_MODELS = ("llm", "source_words", "max_words", "detailed", "dtype", "device", *SCALE)
BATCH = 8  # claims; shards that are cut at multiples of it give the same bytes as one run


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    add = flags.add_argument
    add("-i", "--claims_file", type=Path, help="predictions, or claims with label and evidence or source "
        "(default: data_store/dev_veracity_prediction.json)")  # fmt: skip
    add("--politihop", type=Path, help="PolitiHop's table of a split, in place of --claims_file")
    add("--politihop_sample", type=int, choices=[PUBLISHED], help="the published sample: politihop_test.tsv is named, "
        "the other splits stand beside it")  # fmt: skip
    add("-o", "--output_file", dest="output", default="data_store/dev_explanations.json",
        help="explanations, one claim a line")  # fmt: skip
    add("--method", choices=[TEMPLATE, STANCE, REASONING, ZERO_SHOT, COT], default=TEMPLATE, help="who writes them")
    add("--entailment", type=Path, help=f"with {STANCE} and {REASONING}: the model that reads it (default: {READER})")
    add("--source_words", type=positive, help="of the evidence, nearest to the claim, that models read (default: all; "
        "a claim for which the model has not enough context fails with a line that says so)")  # fmt: skip
    add("--detailed", action="store_true", help="ask for a detailed explanation, as the paper does, and keep all of it "
        "(default: one to three sentences, at most --max_words)")  # fmt: skip
    add("--max_words", type=positive, default=80, help="of an explanation by a model, whole sentences")
    add_justified_flag(flags)
    add_model_flags(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    _check(args, flags)
    source = _source(args)
    everyone = _read(args, source)
    claims = in_range(everyone, args.start, args.end, source)
    inputs = {"claims_file" if args.politihop is None else "politihop": source, **model_file(args.llm)}
    if args.entailment is not None:
        inputs |= classifier_files(args.entailment, "entailment")
    justified = take_justified(args, inputs)
    code = run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs=inputs,
            start=_start(args),
            without_result=lambda claim: claim,
            batch=BATCH,
            numbered=sorted(everyone, key=lambda claim: claim.claim_id),
        )
    )
    if justified is not None and not args.dry_run:
        justified.write(source, Path(args.output))
    return code


def _check(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Raise InputError if flags contradict each other or would have no effect."""
    if args.politihop is not None and args.claims_file is not None:
        raise InputError("--politihop goes without --claims_file")
    if args.politihop_sample is not None and args.politihop is None:
        raise InputError("--politihop_sample goes with --politihop FILE")
    if args.politihop is not None and args.predictions is not None:
        raise InputError("--predictions goes with --claims_file: PolitiHop has none")
    by_reader = args.method in (STANCE, REASONING)
    if not by_reader:
        refuse_unread(args, flags, ["entailment"], f"goes with --method {STANCE} and {REASONING}")
    if args.method == TEMPLATE:
        refuse_unread(args, flags, OF_MODELS, f"changes nothing with --method {TEMPLATE}: it needs no model")
    elif by_reader:
        if args.politihop is not None:
            raise InputError(f"--method {args.method} takes claims with evidence: PolitiHop has sources")
        refuse_unread(args, flags, set(OF_MODELS) - {"dtype", "device"}, f"changes nothing with --method {args.method}")
        args.entailment = args.entailment or READER
    elif args.llm is None:
        raise InputError(f"--method {args.method} takes --llm")
    if args.detailed:
        refuse_unread(args, flags, ["max_words"], "changes nothing with --detailed: no text is cut")


def _source(args: argparse.Namespace) -> Path:
    if args.politihop is not None:
        return existing_file(args.politihop, "the authors of PolitiHop")
    path = args.claims_file or Path("data_store/dev_veracity_prediction.json")
    return existing_file(path, "src.prediction.veracity_prediction")


def _read(args: argparse.Namespace, source: Path) -> list[ExplainedClaim]:
    """Return the claims without the explanations of an earlier run; with `--method reasoning`, keep the model's
    reasoning.

    An old explanation would otherwise be written for a claim that fails in this run.
    """
    if args.politihop is None:
        found = read_claims_to_explain(source)
        if args.method == REASONING:
            return found
        return [msgspec.structs.replace(one, explanation=None, cites=[]) for one in found]
    return published_sample(source) if args.politihop_sample else read_politihop(source)


def _start(args: argparse.Namespace) -> Callable[[], Engine[ExplainedClaim, ExplainedClaim]]:
    if args.method == TEMPLATE:
        return lambda: Engine(_by_template)
    return partial(_by_reader if args.method in (STANCE, REASONING) else _by_model, args)


def _by_template(claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
    return [Outcome(explained(claim, template(claim))) for claim in claims]


def _by_reader(args: argparse.Namespace) -> Engine[ExplainedClaim, ExplainedClaim]:
    reader = load_stance_reader(args.entailment, args.dtype, args.device)

    def work(claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        return [Outcome(by_reasoning(claim, claim.explanation, reader)) for claim in claims]

    return Engine(work, model=reader.info, deterministic=reader.info.deterministic)


def _by_model(args: argparse.Namespace) -> Engine[ExplainedClaim, ExplainedClaim]:
    model = get_llm(args.llm, options_from(args))
    writer = Writer(model, args.method, args.source_words, None if args.detailed else args.max_words)
    return Engine(writer.write, model=model.info, deterministic=model.info.deterministic)


if __name__ == "__main__":
    raise SystemExit(main())
