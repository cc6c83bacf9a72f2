"""Step: verdicts from what a language model knows, without evidence, by each of five ways to ask it.

Reads the claims of HOVER, FEVEROUS or AVeriTeC. Writes a file for each method, OUTPUT/METHOD.json, in the form of
execute_programs; evaluate_programs scores it. A range of claims goes to METHOD.START-END.json; merge joins the ranges.
The model is loaded once for all methods. A run that was stopped goes on after the claims that each method finished.
"""

import argparse
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from src.claims.texts import ClaimText, passed_over, read_claim_texts, with_keys
from src.llm import get_llm
from src.llm.flags import add_model_flags, model_file, options_from
from src.llm.protocol import LanguageModel
from src.programs.baselines.closed_book import ClosedBook
from src.programs.baselines.methods import METHODS, Method, examples, methods
from src.programs.generation.demonstrations import refuse_overlap
from src.programs.records import ClaimTrace, without_result
from src.runner.arguments import add_range, end_of, in_range, output_folder, step, step_parser
from src.runner.console import say
from src.runner.job import Engine, Job
from src.runner.run_all import run_all

MODULE = "src.programs.closed_book"
BATCH = 8  # claims; shards that start at multiples of it give the same bytes as one run


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-c", "--claim_file", type=Path, default=Path("data/dev.json"), help="claims")
    flags.add_argument("--ids", type=Path, help="the claims to take, by their data set's own ids, one a line")
    flags.add_argument("-o", "--output_folder", type=Path, default=Path("data_store/dev_closed_book"),
                       help="METHOD.json of each method, one claim a line, goes there; "
                            "of a range METHOD.START-END.json")  # fmt: skip
    flags.add_argument("--methods", type=methods, default=",".join(METHODS), help="some of them, with commas between")
    flags.add_argument("--chat", action=argparse.BooleanOptionalAction, default=True,
                       help="ask through the model's chat template")  # fmt: skip
    add_model_flags(flags, default="qwen2.5-coder-1.5b")
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    output_folder(args.output_folder)
    everyone = read_claim_texts(args.claim_file)
    for note in passed_over(everyone, args.ids):
        say(f"closed_book: note: {note}", quiet=args.quiet)
    chosen = with_keys(everyone, args.ids)
    claims = in_range(chosen, args.start, args.end, args.claim_file)
    for method in args.methods:
        if method.demonstrations is not None:
            refuse_overlap(examples(method), [(one.claim_id, one.claim) for one in everyone], method.name)
    model = cache(lambda: get_llm(args.llm, options_from(args)))
    numbered = sorted(chosen, key=lambda claim: claim.claim_id)
    part = _part(args, chosen)
    jobs = [_job(args, method, part, claims, numbered, model) for method in args.methods]
    return run_all(jobs)


def _part(args: argparse.Namespace, chosen: list[ClaimText]) -> str:
    """Return the range of claims as a part of the file names, for the merge; empty for all claims."""
    if (args.start, args.end) == (0, -1):
        return ""
    return f".{args.start}-{end_of(chosen) if args.end == -1 else args.end}"


def _job(
    args: argparse.Namespace,
    method: Method,
    part: str,
    claims: list[ClaimText],
    numbered: list[ClaimText],
    model: Callable[[], LanguageModel],
) -> Job[ClaimText, ClaimTrace]:
    """Return the job of one method. Its settings contain neither the other methods nor the folder."""
    output = str(args.output_folder / f"{method.name}{part}.json")
    own = argparse.Namespace(**vars(args), method=method.name, output=output)
    del own.methods, own.output_folder
    lists = {"ids": args.ids, "demonstrations": method.demonstrations}
    given = {name: path for name, path in lists.items() if path is not None}
    return Job(
        step=MODULE,
        settings=own,
        claims=claims,
        inputs={"claim_file": args.claim_file, **given, **model_file(args.llm)},
        start=lambda: _engine(model(), method, chat=args.chat),
        without_result=lambda claim: without_result(claim.claim_id, claim.claim),
        batch=BATCH,
        numbered=numbered,
    )


def _engine(model: LanguageModel, method: Method, *, chat: bool) -> Engine[ClaimText, ClaimTrace]:
    closed_book = ClosedBook(model, method, chat=chat)
    return Engine(closed_book.answer, model=model.info, deterministic=model.info.deterministic)


if __name__ == "__main__":
    raise SystemExit(main())
