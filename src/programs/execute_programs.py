"""Step: runs the programs of each claim and takes their vote.

Reads programs, writes one line a claim: the value of most of its programs, and every step of each with its value. With
`--recorded_answers` no model is asked, so that a program or an answer can be changed by hand and run again.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from src.programs.functions import Answering
from src.programs.interpreter import execute
from src.programs.program_file import read_programs
from src.programs.recorded_answers import RecordedAnswers
from src.records import ClaimPrograms, ClaimTrace, Value
from src.runner.arguments import add_range, existing_file, in_range, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.outcome import Outcome

MODULE = "src.programs.execute_programs"
BATCH = 50  # claims whose steps are asked together
LISTED = 10  # steps without a recorded answer that are named


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--programs_file", type=Path, default=Path("data_store/dev_programs.json"),
                       help="programs of each claim")  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_program_trace.json",
                       help="what became of them, one claim a line")  # fmt: skip
    flags.add_argument("--recorded_answers", type=Path, required=True,
                       help="JSON lines of function, text and value: what each step is answered")  # fmt: skip
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = parser().parse_args(argv)
    source = existing_file(args.programs_file, "src.programs.generate_programs")
    claims = in_range(read_programs(source), args.start, args.end, source)
    answers = RecordedAnswers(args.recorded_answers)
    return run(
        Job(
            step=MODULE,
            args=args,
            claims=claims,
            inputs={"programs_file": source, "recorded_answers": args.recorded_answers},
            start=lambda: Engine(lambda batch: executed(batch, answers), notes_on=lambda _: unrecorded(answers)),
            without_result=lambda claim: ClaimTrace(claim.claim_id, claim.claim, Value.UNKNOWN, 0.0, 0, []),
            batch=BATCH,
        )
    )


def executed(claims: Sequence[ClaimPrograms], answering: Answering) -> list[Outcome[ClaimTrace]]:
    return [Outcome(trace, counted(trace)) for trace in execute(claims, answering)]


def counted(trace: ClaimTrace) -> Mapping[str, int]:
    """What the manifest sums up: programs and steps, those that came to nothing, diagnostics by kind."""
    programs = trace.programs
    counts = {
        "programs": len(programs),
        "unknown_programs": sum(program.value is Value.UNKNOWN for program in programs),
        "steps": sum(len(program.steps) for program in programs),
        "model_calls": trace.model_calls,
    }
    for program in programs:
        for diagnostic in program.diagnostics:
            counts[diagnostic.kind] = counts.get(diagnostic.kind, 0) + 1
    return counts


def unrecorded(answers: RecordedAnswers) -> list[str]:
    named = [f"no recorded answer: {call.function} {call.text}" for call in answers.missing]
    more = len(named) - LISTED
    return [*named[:LISTED], *([f"no recorded answer for {more} more steps"] if more > 0 else [])]


if __name__ == "__main__":
    raise SystemExit(main())
