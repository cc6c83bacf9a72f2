"""Step: print the programs of a trace as trees, with the values of their steps and the sentences behind them.

The output is one document in every format: `--format html > programs.html` is a page, `dot` and `mermaid` are one
graph.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

from src.errors import InputError
from src.programs.drawing import DrawnClaim, drawn
from src.programs.formats.graphs import as_dot, as_mermaid
from src.programs.formats.page import as_html
from src.programs.formats.text import as_text
from src.programs.trace_file import read_traces
from src.runner.arguments import StepParser, step
from src.runner.console import say
from src.runner.output import read_failures

FORMATS: dict[str, Callable[[Sequence[DrawnClaim]], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "html": as_html,
}


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog="python -m src.programs.show", description=__doc__)
    flags.add_argument("trace_file", type=Path, help="what src.programs.execute_programs wrote")
    flags.add_argument("--claim", type=int, help="only the claim with this claim_id")
    flags.add_argument("--format", choices=list(FORMATS), default="text")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    traces = read_traces(args.trace_file)
    if not traces:
        raise InputError("holds no claims", path=args.trace_file)
    chosen = [trace for trace in traces if args.claim in (None, trace.claim_id)]
    if not chosen:
        raise InputError(f"--claim {args.claim}: no such claim", path=args.trace_file)
    failed = {one.claim_id: one.message for one in read_failures(args.trace_file)}
    say(FORMATS[args.format]([drawn(trace, failed.get(trace.claim_id, "")) for trace in chosen]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
