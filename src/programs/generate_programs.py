"""Step: programs that say how each claim is to be checked, written by a language model or by rules.

Reads the claims of AVeriTeC, HOVER or FEVEROUS. Writes one line a claim, with its programs as texts. A program that
cannot be used is requested again, at most twice; then it is replaced by one that verifies the claim as a whole, and is
marked. With `--accept published`, programs are kept as the model writes them. With `--llm none`, no model is used: one
program a claim is derived from its grammar.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from src.claims.texts import ClaimText, passed_over, read_claim_texts, with_keys
from src.errors import InputError
from src.llm import get_llm
from src.llm.flags import SCALE, add_model_flags, model_file, options_from
from src.programs.decomposition.planner import NO_MODEL, planner
from src.programs.generation.demonstrations import SHIPPED, Demonstration, read_demonstrations, refuse_overlap
from src.programs.generation.generator import REPAIRS, Accept, Generator, notes_on
from src.programs.records import ClaimPrograms
from src.programs.whole_claim import fallback
from src.runner.arguments import add_range, in_range, positive, refuse_unread, step, step_parser
from src.runner.console import say
from src.runner.job import Engine, Job, run
from src.runner.numbers import not_negative, seed

MODULE = "src.programs.generate_programs"
UNREAD = (
    "num_programs", "temperature", "seed", "demonstrations", "chat", "grammar", "accept", "cache_dir", "dtype",
    "device", *SCALE,
)  # fmt: skip
DRAWN = ("temperature", "seed")  # they matter for several programs, and for repairs
BATCH = 8  # claims; shards that start at multiples of it give the same bytes as one run


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-c", "--claim_file", type=Path, default=Path("data/dev.json"), help="claims")
    flags.add_argument("--ids", type=Path, help="the claims to take, by their data set's own ids, one a line")
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_programs.json",
                       help="programs, one claim a line")  # fmt: skip
    flags.add_argument("--num_programs", type=positive, default=1, help="programs of each claim")
    flags.add_argument("--temperature", type=not_negative, default=0.7,
                       help="of several programs, and of repairs; one alone is the likeliest")  # fmt: skip
    flags.add_argument("--seed", type=seed, default=0, help="of what is drawn")
    flags.add_argument("--demonstrations", default="multi_hop",
                       help=f"{', '.join(SHIPPED)}, or a file of claims with programs")  # fmt: skip
    flags.add_argument("--chat", action=argparse.BooleanOptionalAction, default=False,
                       help="ask in a chat, not as a text that goes on")  # fmt: skip
    flags.add_argument("--accept", choices=[*Accept], default=Accept.CAREFUL,
                       help="published: keep what the model writes; careful: ask again for faults and dropped names, "
                       "then verify the whole claim")  # fmt: skip
    flags.add_argument("--grammar", action=argparse.BooleanOptionalAction, help="hold the model to the form of "
                       "programs, where its engine can (default: with --accept careful)")  # fmt: skip
    add_model_flags(flags, default="qwen2.5-coder-1.5b", also=f"{NO_MODEL} (by rules)")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    if args.llm == NO_MODEL:
        refuse_unread(args, flags, UNREAD, f"changes nothing with --llm {NO_MODEL}: rules write the programs")
    elif args.accept == Accept.PUBLISHED and args.num_programs == 1:
        refuse_unread(args, flags, DRAWN, "changes nothing with --accept published and one program: it is the "
                      "likeliest")  # fmt: skip
    if args.llm != NO_MODEL and args.grammar is None:
        args.grammar = args.accept == Accept.CAREFUL
    if args.seed + args.num_programs * (1 + REPAIRS) >= 2**32:
        raise InputError(f"--seed {args.seed}: seeds of programs and repairs, counted from it, are below 2**32 - 1")
    everyone = read_claim_texts(args.claim_file)
    for note in passed_over(everyone, args.ids):
        say(f"generate_programs: note: {note}", quiet=args.quiet)
    chosen = with_keys(everyone, args.ids)
    claims = in_range(chosen, args.start, args.end, args.claim_file)
    inputs = {"claim_file": args.claim_file} | ({} if args.ids is None else {"ids": args.ids})
    if args.llm == NO_MODEL:
        start: Callable[[], Engine[ClaimText, ClaimPrograms]] = _by_rules
    else:
        shown = SHIPPED.get(args.demonstrations, Path(args.demonstrations))
        demonstrations = read_demonstrations(shown)
        refuse_overlap(demonstrations, [(one.claim_id, one.claim) for one in everyone], args.demonstrations)
        inputs |= {"demonstrations": shown, **model_file(args.llm)}
        start = partial(_start, args, demonstrations)
    return run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs=inputs,
            start=start,
            without_result=lambda claim: ClaimPrograms(claim.claim_id, claim.claim, [fallback(claim.claim)], [True]),
            batch=BATCH,
            numbered=sorted(chosen, key=lambda claim: claim.claim_id),
        )
    )


def _start(args: argparse.Namespace, demonstrations: Sequence[Demonstration]) -> Engine[ClaimText, ClaimPrograms]:
    model = get_llm(args.llm, options_from(args))
    generator = Generator(
        model, demonstrations, args.num_programs, args.temperature, args.seed, chat=args.chat, grammar=args.grammar,
        accept=Accept(args.accept),
    )  # fmt: skip
    return Engine(generator.generate, model=model.info, deterministic=model.info.deterministic, notes_on=notes_on)


def _by_rules() -> Engine[ClaimText, ClaimPrograms]:
    found = planner()
    return Engine(found.generate, model=found.info)


if __name__ == "__main__":
    raise SystemExit(main())
