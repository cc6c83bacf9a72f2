"""Step: serve a page on which people rate explanations sentence by sentence, and print how far they agree.

    python -m src.explanation.annotate -i zero_shot=a.json madr=b.json -o ratings.jsonl
    python -m src.explanation.annotate --agreement ratings.jsonl
    python -m src.explanation.annotate -i zero_shot=a.json madr=b.json --sample 20 --seed 1 --study study.json
    python -m src.explanation.annotate --study study.json --author -o key.jsonl
    python -m src.explanation.annotate --study study.json --key key.jsonl -o ratings.jsonl
    python -m src.explanation.annotate --agreement ratings.jsonl --study study.json --key key.jsonl

Serves the page on this machine until it is stopped; the first line on stdout is its address. Annotators enter a name.
In each sentence they tick which of the nine types of error it has; the evidence is shown beside it. Methods are not
named, and their order is drawn for each annotator. Each rating is appended to the output as it is saved. `--agreement`
prints the ticked errors and the kappas; so does Ctrl-C.

`--sample` draws a study: claims to rate, qualification rounds and controls. The study's author rates the rounds and
controls (`--author`); these ratings are the key. Annotators must pass the rounds to get a seat. They then rate the
claims of their seat, mixed with the controls. `--agreement` with `--study` and `--key` prints the paper's Table 3. It
counts only annotators who agree with the key on the controls.
"""

import argparse
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from src.annotating.answers_file import read_whole
from src.atomic_file import write_whole
from src.errors import InputError
from src.evaluation.sections import as_markdown, as_text
from src.explanation.annotation.flags import add_flags, check_flags
from src.explanation.annotation.ratings import RatingsFile, read_ticked
from src.explanation.annotation.screening import AuthorCourse, DrawnCourse, Key, read_key, weak_rounds
from src.explanation.annotation.service import PAGE, RatingService, SentRating
from src.explanation.annotation.study import Course, StudyFile, drawn, plan, read_study, study, texts
from src.explanation.annotation.summary import summary, summary_lines
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.methods import Explanations, joined, left_out, named_files
from src.explanation.scoring.people import people
from src.explanation.scoring.tables import people_sections
from src.runner.arguments import StepParser, in_range, step
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output
from src.runner.result_files import check_results, check_table

MODULE = "src.explanation.annotate"
Shared = Sequence[Sequence[ExplainedClaim]]


def parser() -> StepParser:
    _, _, described = (__doc__ or "").split("\n\n", 2)
    flags = StepParser(prog=f"python -m {MODULE}", description=described)
    add_flags(flags)
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    check_flags(args, flags)
    if args.agreement is not None and args.study is not None:
        _print_people(args)
    elif args.agreement is not None:
        _print_agreement(args.agreement)
    elif args.sample is not None:
        _draw(args)
    elif args.study is not None:
        _serve_study(args)
    else:
        _serve_files(args)
    return 0


def _print_agreement(path: Path) -> None:
    ratings = read_ticked(read_whole(path), path, {})
    if not ratings:
        raise InputError("holds no ratings", path=path)
    say("\n".join(summary_lines(summary(ratings))))


def _print_people(args: argparse.Namespace) -> None:
    began = time.perf_counter()
    inputs = {"agreement": args.agreement, "study": args.study, "key": args.key}
    check_results(args, inputs, MODULE)
    chosen = read_study(args.study)
    key = read_key(args.key, chosen)
    ratings = read_ticked(read_whole(args.agreement), args.agreement, chosen.texts())
    found = people(chosen, key, ratings, args.seed)
    tables = people_sections(found)
    document = as_markdown(tables)
    if args.markdown is not None:
        check_table(args.markdown, document)
    say("\n".join(as_text(tables)))
    if args.json is not None:
        manifest = new_manifest(
            fingerprint(MODULE, args, inputs, found.claims), args, seconds={"wall": time.perf_counter() - began}
        )
        write_output(args.json, msgspec.json.format(msgspec.json.encode(found)) + b"\n", [], manifest)
    if args.markdown is not None:
        write_whole(args.markdown, document.encode())


def _draw(args: argparse.Namespace) -> None:
    began = time.perf_counter()
    methods, names, _, shared = _explanations(args)
    inputs = {f"explanations {one.name}": one.path for one in methods}
    check_output(args.study, inputs, "study")
    if args.study.exists():
        raise InputError("is there already, and may have been rated; name another file", path=args.study)
    found = drawn(names, study(names, shared, args.seed).claims, plan(args), args.seed)
    made = fingerprint(MODULE, args, inputs, [one.tasks[0].shown.claim_id for one in found.claims])
    manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
    write_output(args.study, msgspec.json.format(msgspec.json.encode(found), indent=1) + b"\n", [], manifest)
    counts = f"{how_many(len(found.claims), 'claim')} with {how_many(len(found.real), 'explanation')}"
    say(f"annotate: drawn with seed {args.seed}: {counts}, {len(found.keyed)} more for the key -> {args.study}")


def _serve_study(args: argparse.Namespace) -> None:
    chosen = read_study(args.study)
    inputs = {"study": args.study} | ({} if args.key is None else {"key": args.key})
    check_output(args.output_file, inputs)
    key = None if args.key is None else read_key(args.key, chosen)
    for line in weak_rounds(chosen, key) if key is not None else []:
        say_error(f"{args.key}: {line}")
    with RatingsFile(args.output_file, chosen.texts()) as file:
        counts = f"{how_many(len(chosen.claims), 'claim')} of {args.study}"
        _serve(args, file, _course(chosen, key, file), f"annotate: {counts} -> {args.output_file}")


def _course(chosen: StudyFile, key: Key | None, file: RatingsFile) -> Course:
    return AuthorCourse(chosen) if key is None else DrawnCourse(chosen, key, list(file.kept.values()))


def _serve_files(args: argparse.Namespace) -> None:
    methods, names, everyone, shared = _explanations(args)
    check_output(args.output_file, {f"explanations {one.name}": one.path for one in methods})
    with RatingsFile(args.output_file, texts(names, everyone)) as file:
        chosen = study(names, shared, args.seed)
        counts = f"{how_many(sum(map(len, chosen.claims)), 'explanation')} of {how_many(len(shared[0]), 'claim')}"
        _serve(args, file, chosen, f"annotate: {counts} -> {args.output_file}")


def _explanations(args: argparse.Namespace) -> tuple[list[Explanations], list[str], Shared, Shared]:
    """Return the methods, their names, their explanations of the shared claims, and those within the range."""
    methods = [Explanations(one) for one in named_files(args.explanations, None)]
    everyone = joined(methods)
    for line in (*left_out(methods), *upstream_failures([one.path for one in methods])):
        say_error(line)
    shared = [in_range(claims, args.start, args.end) for claims in everyone]
    return methods, [one.name for one in methods], everyone, shared


def _serve(args: argparse.Namespace, file: RatingsFile, course: Course, message: str) -> None:
    from src.annotating.app import app  # starlette
    from src.serving.run import serve  # uvicorn

    if file.torn:
        say_error(f"{args.output_file}: half a line at its end was removed")
    try:
        serve(
            partial(app, RatingService(course, file), SentRating, PAGE),
            args.host,
            args.port,
            message,
            "rate, under any name",
        )
    except KeyboardInterrupt:
        if file.kept:
            say("\n".join(summary_lines(summary(list(file.kept.values())))))
        raise


if __name__ == "__main__":
    raise SystemExit(main())
