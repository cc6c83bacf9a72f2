"""Checks every claim of a set as a user does, from its own knowledge store, and scores what comes out.

    python -m bench.check --set sample|everyday|dev|held_out [--claims 0-500] [--roads questions,programs] [--samples 0]

Four sets: the 12 invented claims of `data_store/sample`, the 64 of `data_store/everyday`, AVeriTeC's dev from the
stores of `../shared`, and held-out claims of its train from stores with the gold pages in reach (`gold_stores.py`).
Beside stand the commonest label, always Refuted, the claim alone, and the published rule on the stances of the same
evidence; with held_out, the same verdict model on the gold pairs. `--samples` draws as many questions as `check.sh`
does by default (11); with 0 a check is faster, its questions are worse and its verdicts the same.

A run with `--json FILE` that was killed, or that a claim ended, goes on when it is started again with the same flags,
claims and models; only `--claims` and `--roads` may differ. Otherwise its answers are discarded, with a line that says
so.
"""

import argparse
import hashlib
import re
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from bench.check.baselines import claim_only, entailment_alone
from bench.check.gold_stores import measured_claims, write_gold_stores
from bench.check.measures import plain, row_of
from bench.check.records import Answered, Kept, Result, Row
from bench.check.table import table
from bench.scoreboard.published import AVERITEC
from src.check import Asked, CheckedClaim, Models, Road, Select, Sources, check_claim
from src.check.model_flags import add_check_model_flags, add_reference, models_from
from src.errors import InputError
from src.evaluation.gold_pairs import gold_pairs
from src.explanation.labels import conclusion
from src.llm.measure import machine
from src.llm.weights import PRETRAINED
from src.prediction.verdicts import judge
from src.records import Claim, Evidence, QAPair, Side, Verdict
from src.reranking.questions.flags import add_writer_flags
from src.runner.arguments import StepParser, step
from src.runner.console import how_many, say
from src.runner.output_path import check_output
from src.stance.reader import StanceReader
from src.stance.records import SIDE_OF, Passage
from src.store import encode_line, located, read_bytes, read_claims, sha256
from src.text import same, sentences
from src.whole_file import write_whole

SETS = {
    "sample": (Path("data_store/sample/claims.json"), Path("data_store/sample/knowledge_store")),
    "everyday": (Path("data_store/everyday/claims.json"), Path("data_store/everyday/knowledge_store")),
    "dev": (AVERITEC / "dev.json", AVERITEC / "knowledge_store/dev"),
}
PART = ".part.jsonl"
_MAY_DIFFER = ("json", "claims", "roads")  # of a run that goes on: each line has its claim and its road
_TOLD = (".md", ".svg")  # beside weights, for people
HELD_OUT = "held_out"  # claims of AVeriTeC's train, with stores that are made for them
HOLDS = 0.5  # probability from which a cited sentence entails or contradicts the claim


@step
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    if args.json:
        check_output(args.json, {}, "json")
    with tempfile.TemporaryDirectory() as folder:
        claims, store = _chosen(args, Path(folder))
        return _bench(args, claims, store)


def _chosen(args: argparse.Namespace, folder: Path) -> tuple[list[Claim], Path]:
    """Return the claims and the folder of their stores."""
    first, last = args.claims or (0, sys.maxsize)
    if args.set == HELD_OUT:
        train, dev = read_claims(AVERITEC / "train.json"), read_claims(AVERITEC / "dev.json")
        claims, store = measured_claims(train, dev)[first:last], folder
        write_gold_stores(folder, claims, train)
    else:
        path, store = SETS[args.set]
        claims = [one for one in read_claims(path) if one.label is not None and first <= one.claim_id < last]
    if not claims:
        raise InputError(f"--claims {first}-{last}: no claim of {args.set} with a label")
    return claims, store


def _bench(args: argparse.Namespace, claims: list[Claim], store: Path) -> int:
    models = models_from(args)
    how, chosen = _how(args), "-".join(map(str, args.claims or ()))
    result = Result(machine(), f"{args.set} {chosen}".strip(), _baselines(claims))
    if args.set == HELD_OUT:
        result.rows.append(row_of("verdict by gold pairs", claims, plain(claims, _by_gold(models, claims)), None))
    for road in args.roads:
        _add_road(result, road, claims, store, models, args, how)
    result.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(table(result))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
        args.json.with_suffix(PART).unlink(missing_ok=True)
    return 0


def _by_gold(models: Models, claims: Sequence[Claim]) -> list[Verdict]:
    """Return what the verdict model says to the annotators' own questions and answers."""
    found = [Evidence(one.claim_id, one.claim, [QAPair(*pair) for pair in gold_pairs(one)]) for one in claims]
    return [outcome.record.pred_label for outcome in judge(models.verdict, found)]


def _baselines(claims: Sequence[Claim]) -> list[Row]:
    commonest, _ = Counter(claim.label for claim in claims if claim.label).most_common(1)[0]
    train = read_claims(AVERITEC / "train.json") if (AVERITEC / "train.json").is_file() else []
    own = {same(claim.claim) for claim in claims}
    train = [claim for claim in train if same(claim.claim) not in own]
    found = {f"commonest label ({commonest})": [commonest] * len(claims)}
    found["always Refuted"] = [Verdict.REFUTED] * len(claims)
    if train:
        found["claim alone"] = claim_only(train, claims)
    return [row_of(name, claims, plain(claims, verdicts), None) for name, verdicts in found.items()]


def _add_road(
    result: Result, road: Road, claims: Sequence[Claim], store: Path, models: Models, args: argparse.Namespace, how: str
) -> None:
    """Add the rows of a road, and what it answered; `how` is that of `_how`."""
    part = _part(args)
    kept = {one.answered.claim_id: one for one in _kept(part, how) if one.road == road}
    for place, claim in enumerate(claims, start=1):
        if claim.claim_id in kept:
            continue
        began = time.perf_counter()
        checked = check_claim(_asked(claim, store, road, args), models=models)
        answered = _answered(claim, checked, models, time.perf_counter() - began)
        one = Kept(how, road, answered, checked.prediction.evidence, entailment_alone(checked.stances))
        kept[claim.claim_id] = one
        if part:
            with part.open("ab") as file:
                file.write(encode_line(one))
        print(f"{road}: {place} of {len(claims)}: {claim.label} -> {_said(checked)}", flush=True)
    found = [kept[claim.claim_id] for claim in claims]
    if road is Road.QUESTIONS:
        by_stance = plain(claims, [one.by_stance for one in found])
        result.rows.append(row_of("entailment alone", claims, by_stance, None))
    answers = [one.answered for one in found]
    result.rows.append(row_of(f"check, {road}", claims, answers, [one.evidence for one in found]))
    result.answered[str(road)] = answers


def _how(args: argparse.Namespace) -> str:
    """Return a hash of the flags, claims and models that claims of an earlier run must have been checked with."""
    flags = {name: str(value) for name, value in vars(args).items() if name not in _MAY_DIFFER}
    files = [(str(path), sha256(path)) for path in _files(args)]
    return hashlib.sha256(msgspec.json.encode((flags, files), order="sorted")).hexdigest()


def _files(args: argparse.Namespace) -> Iterator[Path]:
    """Yield the files of claims, of models trained here and of what flags name; the base models are pinned by code."""
    claims = [AVERITEC / "train.json", AVERITEC / "dev.json"] if args.set == HELD_OUT else [SETS[args.set][0]]
    named = (args.adapter, args.reference_corpus, args.reranker, args.verdict, args.llm.partition(":")[2])
    for place in [*claims, PRETRAINED / "adapters", *PRETRAINED.glob("*.ckpt"), *(Path(one) for one in named if one)]:
        found = [place] if place.is_file() else sorted(place.rglob("*"))
        yield from (path for path in found if path.is_file() and path.suffix not in _TOLD)


def _part(args: argparse.Namespace) -> Path | None:
    """Return where the claims stand that are checked already; gone when the result is there."""
    return args.json.with_suffix(PART) if args.json else None


def _kept(path: Path | None, how: str) -> list[Kept]:
    """Return what an earlier run left, without a last line that is torn; remove it where another `how` made it.

    Raises InputError (file, line).
    """
    if path is None or not path.exists():
        return []
    whole = read_bytes(path).rpartition(b"\n")[0]
    found = [one for _, one in located(whole, Kept, path)]
    if any(one.how != how for one in found):
        say(f"{path}: {how_many(len(found), 'answer')} discarded, made with other flags, claims or models")
        path.unlink()
        return []
    write_whole(path, whole + b"\n" if whole else b"")
    return found


def _asked(claim: Claim, store: Path, road: Road, args: argparse.Namespace) -> Asked:
    sources = Sources(knowledge_store=store / f"{claim.claim_id}.json")
    return Asked(claim.claim, sources, claim.claim_date or "", claim.speaker or "", road, select=Select(args.select))


def _said(checked: CheckedClaim) -> str:
    return f"{checked.prediction.pred_label} {checked.prediction.level or ''}"


def _answered(claim: Claim, checked: CheckedClaim, models: Models, seconds: float) -> Answered:
    found = checked.prediction
    assert claim.label is not None
    return Answered(
        claim.claim_id,
        claim.label,
        found.pred_label,
        found.level,
        tuple(found.verdict_set or ()),
        _reason_holds(checked, models),
        round(seconds, 2),
    )


def _reason_holds(checked: CheckedClaim, models: Models) -> bool | None:
    """Return whether what a justification quotes, a sentence or all of it, is on the side of the verdict, as the
    entailment model of programs reads it; None where it states no reason."""
    text = checked.explained.explanation or ""
    side = SIDE_OF.get(checked.prediction.pred_label)
    if side is None or conclusion(checked.prediction.pred_label) not in text:
        return None
    told = [one.partition("; so ")[0] for one in sentences(text)]
    quoted = [Passage(one) for one in (*told, " ".join(told))]
    (read,) = StanceReader(models.entailment).stances([(checked.claim.claim, quoted)])
    chances = [one.entail if side is Side.FOR else one.contradict for one in read]
    return max(chances, default=0.0) >= HOLDS


def _parser() -> argparse.ArgumentParser:
    parser = StepParser(prog="python -m bench.check", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--set", choices=[*SETS, HELD_OUT], default="sample", help="which claims")
    parser.add_argument(
        "--claims",
        type=_range,
        metavar="FIRST-LAST",
        help="a range of their numbers, without LAST; with held_out of their places",
    )
    parser.add_argument("--roads", type=_roads, default=list(Road), help="of questions and programs, with a comma")
    add_reference(parser)
    add_check_model_flags(parser)
    parser.add_argument("--json", type=Path, help="where to write the result")
    add_writer_flags(parser)
    return parser


def _roads(text: str) -> list[Road]:
    """Read the argument of --roads."""
    if wrong := [name for name in text.split(",") if name not in list(Road)]:
        raise argparse.ArgumentTypeError(f"{wrong[0]!r} is not one of {', '.join(Road)}")
    return [Road(name) for name in text.split(",")]


def _range(text: str) -> tuple[int, int]:
    """Read the argument of --claims."""
    found = re.fullmatch(r"(\d+)-(\d+)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not FIRST-LAST, such as 0-100")
    return int(found[1]), int(found[2])


if __name__ == "__main__":
    raise SystemExit(main())
