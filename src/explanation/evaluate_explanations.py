"""Step: compare explanations of several methods: findings of the checks, METEOR against gold, G-Eval, people's ratings.

    python -m src.explanation.evaluate_explanations -i zero_shot=a.json madr=b.json [--gold data/dev.json] [--json FILE]

Prints findings per explanation and per sentence, before and after refinement, with paired differences to the first
file, and the cost of an explanation. `--gold` adds METEOR of the justifications, `--judge` G-Eval, `--human` Kendall's
tau-c with people's ratings, and `--paper` the published tables. `--json` saves all scores; `--from` prints them again.
Ratings are the output of `annotate`, or JSON lines: {"claim_id", "method", "ratings": [5, null, 4]}, {"claim_id",
"method", "rating"}; one file needs no "method". `--study` and `--key` name a study that `annotate` drew and its key.
With them only annotators who passed the study's tests count, and the paper's Table 3 is printed.
"""

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from src.annotating.answers_file import read_whole
from src.errors import InputError, one_line
from src.explanation.annotation.ratings import read_ticked
from src.explanation.annotation.screening import read_key
from src.explanation.annotation.study import read_study, texts
from src.explanation.checks.checker import add_tagger_flag, chosen_checker, tagger_files
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.geval import Judge, JudgeSettings, geval
from src.explanation.scoring.human import Ratings, read_ratings, ticked_ratings
from src.explanation.scoring.justifications import against_gold
from src.explanation.scoring.methods import Explanations, joined, left_out, named_files
from src.explanation.scoring.people import People, counting, people
from src.explanation.scoring.records import GEval, Protocol, Report
from src.explanation.scoring.report import report, with_people
from src.explanation.scoring.tables import render
from src.llm import get_llm
from src.llm.flags import SCALE, add_model_flags, model_file, options_from
from src.runner.arguments import StepParser, add_range, in_range, natural, positive, refuse_unread, step
from src.runner.console import say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, plain_model, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.store import read_claims, read_json

MODULE = "src.explanation.evaluate_explanations"
ALL = "all"
Shared = Sequence[Sequence[ExplainedClaim]]
OF_JUDGE = ("protocol", "samples", "temperature", "weighted", "source_words", "dtype", "device", *SCALE)
OF_EXPLANATIONS = ("start", "end", "against", "gold", "judge", "human", "study", "key", "json", "seed", "tagger")


def parser() -> argparse.ArgumentParser:
    _, _, described = (__doc__ or "").split("\n\n", 2)
    flags = StepParser(prog=f"python -m {MODULE}", description=described)
    add = flags.add_argument
    which = flags.add_mutually_exclusive_group(required=True)
    which.add_argument("-i", "--explanations", nargs="+", metavar="[NAME=]FILE",
                       help="what generate_explanations or refine_explanations wrote")  # fmt: skip
    which.add_argument("--from", dest="scores", type=Path, metavar="FILE", help="print what --json kept")
    add("--against", metavar="NAME", help="the method that the others are compared with (default: the first)")
    add("--gold", type=Path, metavar="FILE", help="AVeriTeC's claims with justifications: METEOR")
    add("--human", type=Path, metavar="FILE", help="people's ratings, higher is more faithful: Kendall's tau-c")
    add("--study", type=Path, metavar="FILE", help="the drawn study that --human rates (src.explanation.annotate)")
    add("--key", type=Path, metavar="FILE", help="its author's ratings")
    add("--protocol", action="append", choices=[*Protocol, ALL], help="of G-Eval; may be repeated (default: all)")
    add("--samples", type=positive, default=JudgeSettings().samples, help="replies for each text (default 20)")
    add("--temperature", type=float, default=JudgeSettings().temperature, help="of the replies (default 1.0)")
    add("--weighted", action="store_true", help="no samples: each score times its probability, one call")
    add(
        "--source_words",
        type=positive,
        help="of the evidence, nearest to the claim, that the judge reads (default: all)",
    )
    add_tagger_flag(flags)
    add_model_flags(flags, names=("--judge",))
    add_range(flags)
    add("--paper", action="store_true", help="print the published tables, too")
    add("-o", "--json", type=Path, metavar="FILE", help="write the scores here too")
    add("--seed", type=natural, default=0, help="of the resampling and of the judge's first sample (default 0)")
    return flags


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = parser()
    args = flags.parse_args(argv)
    if args.scores is not None:
        refuse_unread(
            args, flags, (*OF_EXPLANATIONS, *OF_JUDGE), "changes nothing with --from: its scores are kept ones"
        )
        found = read_json(args.scores, Report)
    else:
        found = _evaluated(args, flags)
    say("\n".join(render(found, with_paper=args.paper)))
    return 0


def _evaluated(args: argparse.Namespace, flags: argparse.ArgumentParser) -> Report:
    began = time.perf_counter()
    _check(args, flags)
    methods = [Explanations(one) for one in named_files(args.explanations, args.against)]
    inputs = _inputs(args, methods)
    everyone = joined(methods)
    shared = [in_range(claims, args.start, args.end) for claims in everyone]
    ratings, judged = _people(args, methods, everyone)
    for line in (*left_out(methods), *upstream_failures([one.path for one in methods])):
        say_error(line)
    found = msgspec.structs.replace(_report(args, methods, shared, ratings), people=judged)
    if args.json:
        made = fingerprint(MODULE, args, inputs, found.claims)
        model = found.geval.model if found.geval is not None else None
        seconds = {"wall": time.perf_counter() - began}
        steady = model is None or model["deterministic"]
        manifest = new_manifest(made, args, seconds=seconds, model=model, deterministic=steady)
        write_output(args.json, msgspec.json.format(msgspec.json.encode(found)) + b"\n", [], manifest)
    return found


def _check(args: argparse.Namespace, flags: argparse.ArgumentParser) -> None:
    """Raise InputError if flags contradict each other or would have no effect."""
    if args.judge is None:
        refuse_unread(args, flags, OF_JUDGE, "changes nothing without --judge")
    if len({args.study is None, args.key is None, args.study is None or args.human is None}) > 1:
        raise InputError("--study and --key go together, and with --human")
    if args.weighted:
        refuse_unread(args, flags, ("samples", "temperature"), "changes nothing with --weighted: nothing is sampled")
    elif args.judge is not None and not 0 < args.temperature <= 2:
        raise InputError(f"--temperature {args.temperature}: samples differ where it is above 0, and at most 2")


def _inputs(args: argparse.Namespace, methods: Sequence[Explanations]) -> dict[str, Path]:
    """Return the files that are read.

    Raises: InputError or OutputError, as `check_output` does, if the scores cannot be written.
    """
    files = {f"explanations {number}": one.path for number, one in enumerate(methods, start=1)}
    others = {"gold": args.gold, "human": args.human, "study": args.study, "key": args.key}
    inputs = {**files, **{name: path for name, path in others.items() if path is not None}}
    inputs |= tagger_files(args.tagger)
    inputs |= {"judge": path} if (path := model_file(args.judge).get("llm")) else {}
    if args.json is not None:
        check_output(args.json, inputs, "file of scores")
        check_replaced(args.json, MODULE, "file of scores")
    return inputs


def _people(
    args: argparse.Namespace, methods: Sequence[Explanations], everyone: Shared
) -> tuple[Ratings | None, People | None]:
    """Return people's ratings, and the results of the study they belong to.

    Raises: InputError if a file is invalid, or its ratings are of other texts.
    """
    if args.human is None:
        return None, None
    names = [one.name for one in methods]
    known = texts(names, everyone)
    if args.study is None:
        return read_ratings(args.human, names, known), None
    study = read_study(args.study)
    key = read_key(args.key, study)
    ratings = read_ticked(read_whole(args.human), args.human, {**study.texts(), **known})
    return ticked_ratings(counting(study, key, ratings)), people(study, key, ratings, args.seed)


def _report(
    args: argparse.Namespace,
    methods: Sequence[Explanations],
    shared: Shared,
    ratings: Ratings | None,
) -> Report:
    found = report(methods, shared, chosen_checker(args.tagger), args.seed)
    if args.gold is not None:
        golds = {gold.claim_id: gold for gold in read_claims(args.gold)}
        found = msgspec.structs.replace(found, gold=against_gold(shared, golds, args.gold, args.seed))
    if args.judge is not None:
        found = msgspec.structs.replace(found, geval=_geval(args, shared))
    if ratings is not None:
        found = msgspec.structs.replace(found, human=with_people(found, args.human, ratings))
    return found


def _geval(args: argparse.Namespace, shared: Shared) -> GEval:
    asked = args.protocol or [ALL]
    protocols = [one for one in Protocol if ALL in asked or one in asked]
    settings = JudgeSettings(args.samples, args.temperature, args.seed, args.weighted, args.source_words)
    model = get_llm(args.judge, options_from(args))
    found = geval(shared, Judge(model, settings), protocols, args.seed)
    return GEval(
        judge=args.judge,
        model=plain_model(model.info),
        weighted=args.weighted,
        samples=0 if args.weighted else args.samples,
        temperature=args.temperature,
        seed=args.seed,
        source_words=args.source_words,
        found=found.ways,
        protocols=found.scores,
        failed=len(found.errors),
        first_error=one_line(str(found.errors[0])) if found.errors else "",
    )


if __name__ == "__main__":
    raise SystemExit(main())
