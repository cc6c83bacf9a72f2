"""Step: print the programs of a trace as trees, with the values of their steps and the sentences behind them.

The output is one document in every format: `--format html > programs.html` is a page, `dot` and `mermaid` are one
graph.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import msgspec

from src.errors import InputError
from src.programs.drawing import DrawnClaim, as_dot, as_html, as_mermaid, as_text, drawn
from src.programs.program_files import read_traces
from src.runner.claim_range import in_words
from src.runner.console import say
from src.runner.output import read_failures
from src.runner.step import step
from src.settings import Flag

FORMATS: dict[str, Callable[[Sequence[DrawnClaim]], str]] = {
    "text": as_text,
    "mermaid": as_mermaid,
    "dot": as_dot,
    "html": as_html,
}


class ShowSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `show`."""

    trace_file: Annotated[Path, Flag("what src.programs.execute_programs wrote", positional=True)]
    claim: Annotated[int | None, Flag("only the claim with this claim_id")] = None
    format: Annotated[str, Flag("of the document", choices=FORMATS)] = "text"


@step(ShowSettings)
def main(settings: ShowSettings) -> int:
    traces = read_traces(settings.trace_file)
    if not traces:
        raise InputError("contains no claims", path=settings.trace_file)
    chosen = [trace for trace in traces if settings.claim in (None, trace.claim_id)]
    if not chosen:
        there = in_words(trace.claim_id for trace in traces)
        raise InputError(f"no claim {settings.claim}; its claims: {there}", path=settings.trace_file)
    failed = {one.claim_id: one.message for one in read_failures(settings.trace_file)}
    say(FORMATS[settings.format]([drawn(trace, failed.get(trace.claim_id, "")) for trace in chosen]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
