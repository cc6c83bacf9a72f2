"""Methods of explaining side by side: the first claims of AVeriTeC's dev and of PolitiHop's test, by one model.

    python -m bench.explanations --llm qwen2.5-coder-0.5b --each 20
    python -m bench.explanations --llm qwen2.5-coder-0.5b --each 20 --again   # from the record, checked anew
    python -m bench.explanations --llm qwen2.5-coder-0.5b --show

A draft (zero-shot), a chain of thought, and what four methods make of the draft, whatever the checks find in it. Claims
have gold evidence, or the 400 words of the ruling nearest to them. Beside what was accepted stands what each method
wrote last, taken blindly, as the reference takes it. Scores go to `bench/results/explanations_MODEL.json`, all that the
model wrote to `explanations_MODEL.record.json` beside it. Answers are kept in `out/bench/explanations/answers`, too: a
run that was stopped goes on there.

But: findings are those of our checks, which also decide what is accepted; seconds are of a machine with other work.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.explanation_record import (
    BLIND,
    MOST_WORDS,
    Record,
    in_the_end,
    read_record,
    record_of,
    write_record,
    write_report,
)
from bench.scoreboard.published import AVERITEC, ROOT
from src.explanation import evaluate_explanations, generate_explanations, refine_explanations
from src.explanation.checks.flag import chosen_checker
from src.explanation.debate.acceptance import SAME
from src.explanation.debate.methods import METHODS
from src.explanation.gold import gold_explanations
from src.explanation.politihop import read_politihop
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.methods import Explanations, joined, named_files
from src.explanation.scoring.records import Report
from src.explanation.scoring.report import report
from src.explanation.writer import COT, ZERO_SHOT
from src.runner.arguments import positive, step
from src.runner.console import how_many
from src.store import encode_lines
from src.whole_file import write_whole

POLITIHOP = AVERITEC.parent / "madr" / "politihop_test.tsv.gz"
RESULTS = ROOT / "bench" / "results"
WORK = ROOT / "out" / "bench" / "explanations"
OF_POLITIHOP = 10_000  # claim_ids of PolitiHop's claims begin here
AGAINST = "madr"  # what the others are compared with


def claims(each: int) -> list[ExplainedClaim]:
    """Without an explanation."""
    of_dev = gold_explanations(AVERITEC / "dev.json")[:each]
    of_test = read_politihop(POLITIHOP)[:each]
    renumbered = [msgspec.structs.replace(one, claim_id=OF_POLITIHOP + one.claim_id) for one in of_test]
    return [msgspec.structs.replace(one, explanation=None) for one in [*of_dev, *renumbered]]


def run(llm: str, each: int, rounds: int, folder: Path) -> dict[str, Path]:
    """Every method on the claims, each in a file of its name."""
    files = {method: folder / f"{method}.json" for method in (ZERO_SHOT, COT, *METHODS)}
    source = folder / "claims.json"
    write_whole(source, encode_lines(claims(each)))
    asked = ["--llm", llm, "--cache_dir", str(WORK / "answers"), "--max_words", str(MOST_WORDS)]
    for method, output in files.items():
        named = ["-o", str(output), "--method", method, *asked]
        if method in METHODS:
            of = ["-i", str(files[ZERO_SHOT]), "--policy", "always", "--max_rounds", str(rounds)]
            code = refine_explanations.main([*of, *named])
        else:
            code = generate_explanations.main(["-i", str(source), *named])
        if code not in (0, 1):  # 1: a claim failed, which keeps its draft
            raise SystemExit(code)
    return files


def scores(record: Record, folder: Path) -> Report:
    """What stands in the end, scored, with what it cost."""
    named, by = [], chosen_checker(None)
    for name, them in in_the_end(record, ZERO_SHOT, claims(record.each), by).items():
        write_whole(folder / f"{name}.end.jsonl", encode_lines(them))
        named.append(f"{name}={folder / name}.end.jsonl")
    methods = [Explanations(one) for one in named_files(named, AGAINST)]
    found = report(methods, joined(methods), by, seed=0)
    costs = {one.name: record.costs[one.name.removesuffix(BLIND)] for one in found.methods}
    told = [msgspec.structs.replace(one, cost=costs[one.name]) for one in found.methods]
    return msgspec.structs.replace(found, methods=told)


def debates_of(record: Record) -> list[str]:
    """A line for each method that debates: what became of its revisions, as they were settled last, and its judge."""
    lines = []
    for name, them in record.written.items():
        held = [one.debate for one in them if one.debate is not None]
        revised = [one for one in held if one.accepted or one.kept_back]
        accepted, same = sum(one.accepted for one in revised), sum(one.kept_back == SAME for one in revised)
        agreed = [turn.agreed for one in held for turn in one.transcript if turn.agreed is not None]
        judged = f"; the judge agreed {sum(agreed)} times of {len(agreed)}" if agreed else ""
        if held:
            of = f"{how_many(len(revised), 'revision')} of {how_many(len(held), 'draft')}"
            lines.append(f"{name}: {of}, {accepted} accepted, {same} the draft again{judged}")
    return lines


@step
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--llm", required=True)
    flags.add_argument("--each", type=positive, default=20, help="claims of each data set")
    flags.add_argument("--max_rounds", type=positive, default=1)
    which = flags.add_mutually_exclusive_group()
    which.add_argument("--again", action="store_true", help="ask no model: what it wrote is kept")
    which.add_argument("--show", action="store_true", help="print the scores that are kept")
    args = flags.parse_args(argv)
    output, record = (RESULTS / f"explanations_{args.llm}.{end}" for end in ("json", "record.json"))
    folder = WORK / f"{args.llm}_{args.each}"
    if not args.again and not args.show:
        written = record_of(args.each, run(args.llm, args.each, args.max_rounds, folder))
        write_record(written, claims(args.each), record)
    if not args.show:
        kept = read_record(record, claims)
        write_report(scores(kept, folder), output)
        print("\n".join(debates_of(kept)), flush=True)
    return evaluate_explanations.main(["--from", str(output)])


if __name__ == "__main__":
    raise SystemExit(main())
