"""Step: runs the programs of each claim and takes their vote.

Reads programs, writes one line a claim: the value of most of its programs, and every step of each with its value. Steps
are answered from `--recorded_answers` and an earlier `--trace`, so that a program or an answer can be changed by hand
and run again; what neither knows is asked of a model in a `--setting`, with gold, retrieved or no evidence.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from src.errors import InputError
from src.programs.answering.flags import (
    add_answering_flags,
    answerer_from,
    answering_inputs,
    check_answering_flags,
)
from src.programs.evidence_pairs import predictions
from src.programs.functions import Answering
from src.programs.generation import fallback
from src.programs.interpreter import execute
from src.programs.known_answers import EarlierTrace, Known, KnownFirst
from src.programs.program_file import read_programs
from src.programs.recorded_answers import RecordedAnswers
from src.records import ClaimPrograms, ClaimTrace, Value
from src.runner.arguments import add_range, existing_file, in_range, positive, step, step_parser
from src.runner.job import Engine, Job, run
from src.runner.outcome import Outcome
from src.store import encode_list, read_by_claim, write_whole

MODULE = "src.programs.execute_programs"
BATCH = 50  # claims whose steps are asked together
ASKED = 8  # of these where a language model answers: llama.cpp keeps what so many claims' prompts share
LISTED = 10  # steps without a recorded answer that are named


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--programs_file", type=Path, default=Path("data_store/dev_programs.json"),
                       help="programs of each claim")  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_program_trace.json",
                       help="what became of them, one claim a line")  # fmt: skip
    flags.add_argument("--recorded_answers", type=Path,
                       help="JSON lines of function, text and value: what steps are answered")  # fmt: skip
    flags.add_argument("--trace", type=Path, help="an earlier output: steps that did not change are taken from it")
    flags.add_argument("--whole_claim", action="store_true",
                       help="verify each claim as a whole, which programs are compared with")  # fmt: skip
    flags.add_argument("--predictions", type=Path, help="verdicts with the steps as evidence, one JSON list, go there")
    flags.add_argument("--top_n", type=positive, default=10, help="pairs of a prediction, those that decide first")
    add_answering_flags(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    check_answering_flags(args, flags)
    if args.setting is None and not _given(args):
        raise InputError("nothing answers the steps; give --setting, --recorded_answers, --trace or several of them")
    source = existing_file(args.programs_file, "src.programs.generate_programs")
    claims = in_range(read_programs(source), args.start, args.end, source)
    inputs = {"programs_file": source, **_given(args), **answering_inputs(args)}
    submission, top_n = _submission(args, inputs)
    code = run(
        Job(
            step=MODULE,
            args=args,
            claims=[whole(claim) for claim in claims] if args.whole_claim else claims,
            inputs=inputs,
            start=lambda: _start(args, claims),
            without_result=lambda claim: ClaimTrace(claim.claim_id, claim.claim, Value.UNKNOWN, 0.0, 0, []),
            batch=BATCH if args.llm is None else ASKED,
        )
    )
    if submission is not None and not args.dry_run:
        traces = read_by_claim(Path(args.output), ClaimTrace)
        write_whole(submission, encode_list(predictions(traces, top_n)))
    return code


def whole(claim: ClaimPrograms) -> ClaimPrograms:
    return ClaimPrograms(claim.claim_id, claim.claim, [fallback(claim.claim)])


def _start(args: argparse.Namespace, claims: Sequence[ClaimPrograms]) -> Engine[ClaimPrograms, ClaimTrace]:
    known = _known(args)
    if args.setting is None:
        answers = KnownFirst(known)
        return Engine(lambda batch: executed(batch, answers), notes_on=lambda _: unrecorded(answers))
    answerer = answerer_from(args, {claim.claim_id: claim.claim for claim in claims})
    asked = KnownFirst(known, answerer.answering)
    return Engine(
        lambda batch: executed(batch, asked), model=answerer.model, deterministic=answerer.deterministic
    )  # fmt: skip


def _submission(args: argparse.Namespace, inputs: Mapping[str, Path]) -> tuple[Path | None, int]:
    """Where the predictions go, and how many pairs each has; neither changes the output, so they are no settings of it.

    Raises InputError when the file would take the place of another.
    """
    path, top_n = args.predictions, args.top_n
    del args.predictions, args.top_n
    others = {"output_file": Path(args.output), **inputs}
    for name, other in others.items():
        if path is not None and path.resolve() == other.resolve():
            raise InputError(f"the predictions would overwrite --{name}", path=path)
    return path, top_n


def _given(args: argparse.Namespace) -> dict[str, Path]:
    given = {"recorded_answers": args.recorded_answers, "trace": args.trace}
    return {name: path for name, path in given.items() if path is not None}


def _known(args: argparse.Namespace) -> list[Known]:
    """What answers are there, the nearest first."""
    recorded = [RecordedAnswers(args.recorded_answers)] if args.recorded_answers else []
    return [*recorded, *([EarlierTrace(args.trace)] if args.trace else [])]


def executed(claims: Sequence[ClaimPrograms], answering: Answering) -> list[Outcome[ClaimTrace]]:
    found = execute(claims, answering)
    return [Outcome(one.trace, counted(one.trace), "; ".join(one.failures)) for one in found]


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


def unrecorded(answers: KnownFirst) -> list[str]:
    named = [f"no recorded answer: {call.function} {call.text}" for call in answers.missing]
    more = len(named) - LISTED
    return [*named[:LISTED], *([f"no recorded answer for {more} more steps"] if more > 0 else [])]


if __name__ == "__main__":
    raise SystemExit(main())
