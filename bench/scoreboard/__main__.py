"""Our models and published systems on the same evidence: AVeriTeC dev, scored by the project's own evaluator.

    python -m bench.scoreboard --evidence hero                       # HerO's ten sentences: HerO, and ours
    python -m bench.scoreboard --evidence official gold pipeline_own pipeline_all others
    python -m bench.scoreboard --evidence hero --questions template  # the template instead of the trained question
    python -m bench.scoreboard --evidence hero --models none         # what the packages' models do untrained
    python -m bench.scoreboard --evidence hero gold --ablation       # the same answers, other questions: only verdicts
    python -m bench.scoreboard --show                                # the file as Markdown

Ours are the pipeline's steps in processes of their own, with their defaults; killed and started again, they go on where
they were. `--models question_generator=FOLDER reranker=none` chooses others. Rows are added to the file; whoever is
measured again is replaced. Evidence: `sentences.py`; what is published: `published.py`.

Limitations: no choice is made by these figures; that is done on held-out train (`src/training`). Published systems are
scored by their files, not run.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from bench.command import command, positive
from bench.scoreboard.published import AVERITEC, OTHERS, ROOT, SYSTEMS, peer
from bench.scoreboard.record import Result, read_result, write_result
from bench.scoreboard.scored import Gold, Scored, scored
from bench.scoreboard.steps import parse_models
from bench.scoreboard.system import ASKERS, EVIDENCE, TRAINED, Bench, Setup
from bench.scoreboard.table import show
from src.runner.claim_range import in_range
from src.runner.manifest import revision
from src.store import read_claims, sha256

RESULTS = ROOT / "bench" / "results" / "scoreboard.json"


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    path: Path | None = args.out or (RESULTS if args.show or args.claims is None else None)
    result = read_result(path) if path else Result()
    if args.show:
        print(show(result))
        return 0
    labels = args.averitec / "dev.json"
    everyone = read_claims(labels)
    gold = Gold(labels, in_range(everyone, *(args.claims or (0, -1))), [claim.claim_id for claim in everyone])
    models = parse_models(args.models, args.llm, args.dtype)
    bench = Bench(gold, args.work, averitec=args.averitec, overwrite=args.overwrite)
    for evidence in args.evidence:
        ours = []
        if evidence != OTHERS and not args.published_only:
            ours = bench.measure(Setup(evidence, args.questions, args.top_n, models, args.ablation))
        theirs = published(evidence, gold, args.averitec)
        for one in ours:
            for other in theirs if one.row.kind == "ours" else ():
                one.beside(other)
        result.label_sha256, result.revision = sha256(labels), revision()
        result.add([one.row for one in [*theirs, *ours]])
        if path:
            write_result(path, result)
    print(show(result))
    return 0


def published(evidence: str, gold: Gold, averitec: Path) -> list[Scored]:
    """Those who published on this evidence."""
    files = SYSTEMS.get(evidence, {})
    return [scored(evidence, name, "published", gold, peer(file, averitec)) for name, file in files.items()]


def claim_range(text: str) -> tuple[int, int]:
    """Return the claims in an argument: `0-100` are the claims 0 to 99."""
    first, _, end = text.partition("-")
    if not (first.isdecimal() and end.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text} is not START-END, such as 0-100")
    return int(first), int(end)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench.scoreboard", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--evidence", nargs="+", choices=[*EVIDENCE, OTHERS], default=[*EVIDENCE, OTHERS])
    parser.add_argument("--questions", choices=ASKERS, default=TRAINED,
                        help="who asks: the template, the trained writer, the same model by examples (its quick recipe "
                             "or the published one), or the published system")  # fmt: skip
    parser.add_argument("--top_n", type=positive, help="pairs for each claim (default: as the evidence has them)")
    parser.add_argument("--models", nargs="+", default=[], metavar="NAME=FOLDER",
                        help="none, or NAME=FOLDER, NAME=none, veracity=stacked; default: what the steps do by "
                             "themselves")  # fmt: skip
    parser.add_argument("--llm", help="language model of untrained questions and verdicts")
    parser.add_argument("--dtype", choices=["float32", "bfloat16"], help="number format of all models")
    parser.add_argument("--ablation", action="store_true", help="verdicts with other questions, too")
    parser.add_argument("--published_only", action="store_true", help="run nothing of ours")
    parser.add_argument("--claims", type=claim_range, metavar="START-END", help="a part of the claims; writes no file "
                        "unless --out names one")  # fmt: skip
    parser.add_argument("--work", type=Path, default=ROOT / "out" / "bench" / "scoreboard", help="where steps write")
    parser.add_argument("--overwrite", action="store_true", help="run steps again whose output stands")
    parser.add_argument("--averitec", type=Path, default=AVERITEC, help="folder of dev.json, train.json, peers")
    parser.add_argument("--out", type=Path, help=f"rows are added here (default: {RESULTS.relative_to(ROOT)})")
    parser.add_argument("--show", action="store_true", help="print the file as Markdown, measure nothing")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
