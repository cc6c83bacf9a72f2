"""Methods of explaining side by side: the first claims of AVeriTeC's dev and of PolitiHop's test, by one model.

    python -m bench.explanations --llm qwen2.5-coder-1.5b --claims 40
    python -m bench.explanations --llm openai:gpt-4o-mini --claims 40 --judge openai:gpt-4o --human ratings.jsonl
    python -m bench.explanations --llm qwen2.5-coder-1.5b --show     # print the scores that are kept

A draft (zero-shot), a chain of thought, and what Self-Refine, a debate of two and MADR make of the draft. Claims have
gold evidence, or the whole ruling. `--accept published`, the default, runs the methods as their papers have them:
detailed drafts, all rounds, each text taken as it is. G-Eval's four protocols score each text, by `--judge` (default:
the model itself), whose prompts are none of the agents'; findings of our checks are beside them, and Kendall's tau-c
with the ratings of `--human`. `--accept careful` scores what our gate accepts, and as METHOD_unchecked what was
written last.

Scores go to `bench/results/explanations_published_MODEL.json` (careful: `explanations_MODEL.json`), all that the model
wrote to a `.record.json` beside it; `--again` scores this record anew. Answers are kept in
`out/bench/explanations/answers`: a run that was stopped goes on there with the same command.

Limitations: seconds are of a machine with other work. Two runs of a judge that samples differ.
"""

import argparse
import io
import re
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path

import msgspec

from bench.command import command, positive
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
from src.atomic_file import write_whole
from src.explanation import evaluate_explanations, generate_explanations, refine_explanations
from src.explanation.checks.checker import chosen_checker
from src.explanation.claims_file import gold_explanations
from src.explanation.debate.methods import DEBATE, MADR, SELF_REFINE
from src.explanation.debate.refiner import SAME
from src.explanation.politihop import read_politihop
from src.explanation.records import ExplainedClaim
from src.explanation.scoring.records import Report
from src.explanation.writer import COT, ZERO_SHOT
from src.runner.console import how_many
from src.store import encode_lines, read_json

POLITIHOP = AVERITEC.parent / "madr" / "politihop_test.tsv.gz"
RESULTS = ROOT / "bench" / "results"
WORK = ROOT / "out" / "bench" / "explanations"
OF_POLITIHOP = 10_000  # claim_ids of PolitiHop's claims begin here
AGAINST = MADR  # what the others are compared with
REFINED = (SELF_REFINE, DEBATE, MADR)
PUBLISHED, CAREFUL = "published", "careful"


def claims(each: int) -> list[ExplainedClaim]:
    """Return the first `each` claims of AVeriTeC's dev and of PolitiHop's test, without explanations."""
    of_dev = gold_explanations(AVERITEC / "dev.json")[:each]
    of_test = read_politihop(POLITIHOP)[:each]
    renumbered = [msgspec.structs.replace(one, claim_id=OF_POLITIHOP + one.claim_id) for one in of_test]
    return [msgspec.structs.replace(one, explanation=None) for one in [*of_dev, *renumbered]]


def kept_answers() -> list[str]:
    """Return the flags that cache the model's answers, so that a stopped run can be continued."""
    return ["--cache_dir", str(WORK / "answers")]


def run(llm: str, each: int, accept: str, rounds: int | None, folder: Path) -> dict[str, Path]:
    """Run every method on the claims and return its file of explanations, by method."""
    files = {method: folder / f"{method}.json" for method in (ZERO_SHOT, COT, *REFINED)}
    source = folder / "claims.json"
    write_whole(source, encode_lines(claims(each)))
    llm_flags = ["--llm", llm, *kept_answers()]
    short = ["--max_words", str(MOST_WORDS)]
    for method, output in files.items():
        named = ["-o", str(output), "--method", method, *llm_flags]
        if method in REFINED:
            how = ["--accept", accept] if accept == PUBLISHED else ["--policy", "always", *short]
            most = [] if rounds is None else ["--max_rounds", str(rounds)]
            code = refine_explanations.main(["-i", str(files[ZERO_SHOT]), *how, *most, *named])
        else:
            how = ["--detailed"] if accept == PUBLISHED else short
            code = generate_explanations.main(["-i", str(source), *how, *named])
        if code not in (0, 1):  # 1: a claim failed, which keeps its draft
            raise SystemExit(code)
    return files


def scores(record: Record, accept: str, flags: Sequence[str], folder: Path) -> Report:
    """Return the scores and the cost of each method's explanations; `asked` are flags of the scoring step."""
    named = []
    for name, them in _texts(record, accept).items():
        write_whole(folder / f"{name}.end.jsonl", encode_lines(them))
        named.append(f"{name}={folder / name}.end.jsonl")
    path = folder / "scores.json"
    with redirect_stdout(io.StringIO()):
        code = evaluate_explanations.main(["-i", *named, "--against", AGAINST, *flags, "--json", str(path)])
    if code:
        raise SystemExit(code)
    report = read_json(path, Report)
    costs = {one.name: record.costs[one.name.removesuffix(BLIND)] for one in report.methods}
    with_costs = [msgspec.structs.replace(one, cost=costs[one.name]) for one in report.methods]
    return msgspec.structs.replace(report, methods=with_costs)


def _texts(record: Record, accept: str) -> Mapping[str, list[ExplainedClaim]]:
    """Return the explanations to score, by method: with `careful` those that the gate accepts and, under other names,
    the last texts; with `published` only the last texts, under the methods' names.
    """
    texts = in_the_end(record, ZERO_SHOT, claims(record.each), chosen_checker(None))
    if accept == CAREFUL:
        return texts
    return {name: texts.get(f"{name}{BLIND}", them) for name, them in texts.items() if not name.endswith(BLIND)}


def debates_of(record: Record) -> list[str]:
    """Return a line for each method with debates: how many revisions were accepted, and how often the judge agreed."""
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


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    flags.add_argument("--llm", required=True)
    flags.add_argument("--claims", "--each", dest="each", type=positive, default=40, help="claims of each data set")
    flags.add_argument("--accept", choices=[PUBLISHED, CAREFUL], default=PUBLISHED)
    flags.add_argument("--max_rounds", type=positive, help="default: those of refine_explanations for each method")
    flags.add_argument("--judge", help="of G-Eval (default: the model itself)")
    flags.add_argument("--samples", type=positive, help="replies for each text (default: scores by their probability)")
    flags.add_argument("--human", type=Path, help="people's ratings, as evaluate_explanations reads them")
    which = flags.add_mutually_exclusive_group()
    which.add_argument("--again", action="store_true", help="ask no agent: what was written is kept")
    which.add_argument("--show", action="store_true", help="print the scores that are kept")
    args = flags.parse_args(argv)
    model = re.sub(r"[^\w.-]+", "_", args.llm)
    name = f"explanations_published_{model}" if args.accept == PUBLISHED else f"explanations_{model}"
    output, record = (RESULTS / f"{name}.{end}" for end in ("json", "record.json"))
    folder = WORK / f"{name}_{args.each}"
    if not args.again and not args.show:
        written = record_of(args.each, run(args.llm, args.each, args.accept, args.max_rounds, folder))
        write_record(written, claims(args.each), record)
    if not args.show:
        known = read_record(record, claims)
        write_report(scores(known, args.accept, _scoring(args), folder), output)
        print("\n".join(debates_of(known)), flush=True)
    return evaluate_explanations.main(["--from", str(output)])


def _scoring(args: argparse.Namespace) -> list[str]:
    judge = ["--judge", args.judge or args.llm, *kept_answers()]
    how = ["--weighted"] if args.samples is None else ["--samples", str(args.samples)]
    return [*judge, *how, *([] if args.human is None else ["--human", str(args.human)])]


if __name__ == "__main__":
    raise SystemExit(main())
