"""Step: prints the programs of a trace as trees, with the values of their steps and the sentences behind them."""

import argparse
import html
from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.programs.drawing import FORMATS, tree
from src.programs.records import ClaimTrace, ProgramTrace
from src.runner.arguments import StepParser, existing_file, step
from src.runner.console import say
from src.store import read_by_claim

_COMMENT = {"mermaid": "%% ", "dot": "// "}


def parser() -> argparse.ArgumentParser:
    flags = StepParser(prog="python -m src.programs.show", description=__doc__)
    flags.add_argument("trace_file", type=Path, help="what src.programs.execute_programs wrote")
    flags.add_argument("--claim", type=int, help="only the claim with this claim_id")
    flags.add_argument("--format", choices=list(FORMATS), default="text")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    traces = read_by_claim(existing_file(args.trace_file, "src.programs.execute_programs"), ClaimTrace)
    chosen = [trace for trace in traces if args.claim in (None, trace.claim_id)]
    if not chosen:
        raise InputError(f"--claim {args.claim}: no such claim", path=args.trace_file)
    for trace in chosen:
        say(described(trace, args.format))
    return 0


def described(trace: ClaimTrace, form: str) -> str:
    """The claim with its value, then each program: a drawing, and what was said of its text."""
    vote = f"{trace.value} by {trace.vote_share:.0%} of {len(trace.programs)} programs"
    parts = [_line(f"[{trace.claim_id}] {' '.join(trace.claim.split())}", form), _line(vote, form)]
    for number, program in enumerate(trace.programs, start=1):
        parts += [_line(f"program {number}", form), FORMATS[form](tree(program)), *_said(program, form)]
    return "\n".join(parts)


def _said(program: ProgramTrace, form: str) -> list[str]:
    return [_line(f"line {one.line}, {one.kind}: {one.message}", form) for one in program.diagnostics]


def _line(text: str, form: str) -> str:
    return f"<p>{html.escape(text)}</p>" if form == "html" else f"{_COMMENT.get(form, '')}{text}"


if __name__ == "__main__":
    raise SystemExit(main())
