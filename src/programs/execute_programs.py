"""Step: run the programs of each claim and take their vote.

Reads programs and writes one line a claim: the value of most of its programs, and the value of every step. Steps are
answered from `--recorded_answers` and from an earlier `--trace`. A program or an answer can therefore be changed by
hand and run again. All other steps are answered by a model in a `--setting`: with gold, retrieved or no evidence.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from src.errors import InputError
from src.programs.answerers.earlier_trace import EarlierTrace
from src.programs.answerers.flags import (
    add_answering_flags,
    answerer_from,
    answering_inputs,
    check_answering_flags,
)
from src.programs.answerers.known_answers import Known, KnownFirst
from src.programs.answerers.missing import missing_path, refuse_loss
from src.programs.answerers.recorded_answers import RecordedAnswers
from src.programs.on_record import OnRecord
from src.programs.outcomes import executed, fewer, told
from src.programs.program_file import first_programs, read_programs
from src.programs.records import ClaimPrograms, ClaimTrace, without_result
from src.programs.submission.predictions import add_prediction_flags, take_predictions
from src.programs.votes import COUNTS, Vote
from src.programs.whole_claim import whole
from src.runner.arguments import add_range, existing_file, in_range, positive, refuse_unread, step, step_parser
from src.runner.console import say
from src.runner.fingerprint import fingerprint
from src.runner.job import Engine, Job, run

MODULE = "src.programs.execute_programs"
BATCH = 50  # claims whose steps are answered together
ASKED = 8  # the same for a language model: llama.cpp caches the shared prefix of this many claims' prompts


def parser() -> argparse.ArgumentParser:
    flags = step_parser(__doc__, MODULE)
    flags.add_argument("-i", "--programs_file", type=Path, default=Path("data_store/dev_programs.json"),
                       help="programs of each claim")  # fmt: skip
    flags.add_argument("-o", "--output_file", dest="output", default="data_store/dev_program_trace.json",
                       help="what became of them, one claim a line")  # fmt: skip
    flags.add_argument("--recorded_answers", type=Path,
                       help="JSON lines of function, text and value: what steps are answered")  # fmt: skip
    flags.add_argument("--trace", type=Path, help="an earlier output: what its steps were answered is not asked again")
    flags.add_argument("--num_programs", type=positive, help="run the first so many programs of each claim "
                       "(default: all)")  # fmt: skip
    flags.add_argument("--vote", choices=[*Vote], default=Vote.PLURALITY,
                       help="plurality: the value of most programs; published: true where more are true than false, "
                       "else false, as the released code counts (default: plurality)")  # fmt: skip
    flags.add_argument("--whole_claim", action="store_true",
                       help="verify each claim as a whole, which programs are compared with")  # fmt: skip
    add_prediction_flags(flags)
    add_answering_flags(flags)
    add_range(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    check_answering_flags(args, flags)
    if args.whole_claim:
        refuse_unread(args, flags, ["num_programs"], "changes nothing with --whole_claim: that is one program a claim")
    if args.setting is None and not _given(args):
        raise InputError("nothing answers the steps; give --setting, --recorded_answers, --trace or several of them")
    source = existing_file(args.programs_file, "src.programs.generate_programs")
    everyone = read_programs(source)
    chosen = in_range(everyone, args.start, args.end, source)
    claims = [whole(claim) if args.whole_claim else first_programs(claim, args.num_programs) for claim in chosen]
    inputs = {"programs_file": source, **_given(args), **answering_inputs(args)}
    predictions = take_predictions(args, flags, inputs)
    if args.setting is None:
        refuse_loss(missing_path(Path(args.output)), inputs, overwrite=args.overwrite)
    code = run(
        Job(
            step=MODULE,
            settings=args,
            claims=claims,
            inputs=inputs,
            start=lambda: _start(args, claims, inputs),
            without_result=lambda claim: without_result(claim.claim_id, claim.claim),
            batch=BATCH if args.llm is None else ASKED,
            numbered=sorted(everyone, key=lambda claim: claim.claim_id),
        )
    )
    if predictions is not None and not args.dry_run:
        predictions.write(Path(args.output))
        say(f"execute_programs: verdicts -> {predictions.path}", quiet=args.quiet)
    return code


def _start(
    args: argparse.Namespace, claims: Sequence[ClaimPrograms], inputs: Mapping[str, Path]
) -> Engine[ClaimPrograms, ClaimTrace]:
    texts = {claim.claim_id: claim.claim for claim in claims}
    count = COUNTS[Vote(args.vote)]
    known, notes = _known(args, texts, inputs)
    notes += fewer(claims, args.num_programs)
    if args.setting is None:
        on_record = OnRecord(claims, KnownFirst(known), missing_path(Path(args.output)), count)
        return Engine(on_record.work, notes=notes, notes_on=lambda counts: [*told(counts), *on_record.list_missing()])
    answerer = answerer_from(args, texts)
    asked = KnownFirst(known, answerer.answering)
    return Engine(
        lambda batch: executed(batch, asked, count), answerer.model, notes, told, deterministic=answerer.deterministic
    )  # fmt: skip


def _known(
    args: argparse.Namespace, texts: Mapping[int, str], inputs: Mapping[str, Path]
) -> tuple[list[Known], list[str]]:
    """Return the known answers, those with priority first, and notes on them."""
    known: list[Known] = []
    notes: list[str] = []
    if args.recorded_answers is not None:
        recorded = RecordedAnswers(args.recorded_answers)
        known, notes = [recorded], recorded.notes()
    if args.trace is not None:
        earlier = EarlierTrace(args.trace, texts)
        known, notes = [*known, earlier], [*notes, *earlier.notes(fingerprint(MODULE, args, inputs, list(texts)))]
    return known, notes


def _given(args: argparse.Namespace) -> dict[str, Path]:
    given = {"recorded_answers": args.recorded_answers, "trace": args.trace}
    return {name: path for name, path in given.items() if path is not None}


if __name__ == "__main__":
    raise SystemExit(main())
