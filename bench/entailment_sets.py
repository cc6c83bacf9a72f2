"""How well an entailment model reads: test rows of public sets, and written claims with the page that decides.

    python -m bench.entailment_sets [--entailment FOLDER] [--rows 150] [--only everyday,...] [--json FILE]

Every set of the pack (`../shared/data/nli`) that has test rows with a label, `--rows` of them drawn with a fixed seed;
no model here has learned from them. Sets with rows of two labels only are scored on these two. Three probes give the
model a claim with nothing but the pages that decide it, and ask which is likelier, entailment or contradiction: the
Supported and Refuted claims of `data_store/everyday`, and what is held out of `data_store/scenarios` and
`data_store/contraries`. The rows of all sets are also scored by topic (`entailment_topics.py`). The majority label of
each set is printed beside every accuracy; intervals are of 95 %, bootstrapped over the rows.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec
import numpy as np
from sklearn.metrics import roc_auc_score

from bench.command import command, positive
from bench.entailment_topics import TOPICS
from bench.everyday import deciding_pages
from src.atomic_file import write_whole
from src.errors import InputError
from src.evaluation.bootstrap import Interval, figures, mean_of
from src.llm.measure import machine
from src.models.entailment import LABELS, Entailment, Premise, load_entailment
from src.records import Verdict
from src.stance.reader import READER
from src.stance.records import SIDE_OF
from src.training.calibration import class_scores
from src.training.entailment.examples import CONTRADICTED, ENTAILED
from src.training.entailment.pack import PackRow, read_set, reporting_rows, window
from src.training.passages.contraries import contrary_passages
from src.training.passages.scenarios import is_held_out, read_scenarios, whole

PACK = Path("../shared/data/nli")
SCENARIOS, CONTRARIES = Path("data_store/scenarios"), Path("data_store/contraries")
SEED = 0


class SetScore(msgspec.Struct, frozen=True):
    """Scores on the rows of one set: accuracy and macro-F1 over the labels that occur, and the share of the commonest
    label.

    `interval`: interval of the accuracy; None for the mean of sets.
    `auc`: for probes only, area under the ROC curve of entailment / (entailment + contradiction). Chance is .5, and
        no threshold changes it.
    """

    rows: int
    labels: int
    accuracy: float
    macro_f1: float
    majority: float
    auc: float | None = None
    interval: Interval | None = None


class TopicScore(msgspec.Struct, frozen=True):
    """Scores on the rows of one topic, over all sets: the share that is right, and the share whose label is the
    commonest one of its set.
    """

    rows: int
    accuracy: float
    interval: Interval
    majority: float


class Result(msgspec.Struct, frozen=True):
    """Scores of a model. `mean` is the mean over the sets, each with equal weight; None if no set was requested."""

    machine: str
    entailment: str
    sha256: str
    probes: dict[str, SetScore]
    sets: dict[str, SetScore]
    mean: SetScore | None
    topics: dict[str, TopicScore]


class Read(NamedTuple):
    """A row of a set: whether the model is right, and whether the commonest label of the set is."""

    name: str
    row: PackRow
    is_right: bool
    is_commonest: bool


@command
def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    cases: dict[str, Callable[[], list[Case]]] = {
        "everyday": everyday_cases,
        "scenarios": lambda: scenario_cases(SCENARIOS),
        "contraries": lambda: contraries_cases(CONTRARIES),
    }
    paths = {path.name.removesuffix(".jsonl.gz"): path for path in sorted(args.pack.glob("*.jsonl.gz"))}
    if not paths and args.only is None:
        raise InputError("has no sets (*.jsonl.gz)", path=args.pack)
    wanted = _wanted(args.only, [*cases, *paths])
    model = load_entailment(args.entailment)
    probes: dict[str, SetScore] = {}
    for name in [one for one in cases if one in wanted]:
        probes[name] = probed(model, cases[name]())
        print(_line(name, probes[name]), flush=True)
    sets: dict[str, SetScore] = {}
    read: list[Read] = []
    for name in [one for one in paths if one in wanted]:
        rows = reporting_rows(read_set(args.pack, name))
        if rows and len({row.label for row in rows}) > 1:
            drawn = Random(f"{SEED}\n{name}").sample(rows, min(args.rows, len(rows)))
            sets[name], own = scored(model, name, drawn)
            read += own
            print(_line(name, sets[name]), flush=True)
        elif args.only is not None:
            raise InputError("has no test rows of two labels", path=paths[name])
    mean, topics = _mean(list(sets.values())) if sets else None, by_topic(read)
    result = Result(machine(), model.info.name, str(model.info.sha256), probes, sets, mean, topics)
    if mean:
        print(_line("mean of sets", mean))
    for name, topic in topics.items():
        print(_topic_line(name, topic))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
    return 0


def _wanted(only: str | None, names: Sequence[str]) -> Sequence[str]:
    """Return the names of the requested probes and sets. Raises InputError for an unknown name."""
    wanted = names if only is None else only.split(",")
    for name in wanted:
        if name not in names:
            raise InputError(f"--only {name}: no such probe or set; there are {', '.join(names)}")
    return wanted


def scored(model: Entailment, name: str, rows: Sequence[PackRow]) -> tuple[SetScore, list[Read]]:
    """Return the scores of a model on the rows of set `name`; all rows have a label."""
    scores = [list(one) for one in model.scores([Premise([("", window(row))], row.claim) for row in rows])]
    labels = [row.label for row in rows if row.label is not None]
    commonest, _ = Counter(labels).most_common(1)[0]
    right = _right(scores, labels)
    read = [Read(name, row, is_right, row.label == commonest) for row, is_right in zip(rows, right, strict=True)]
    return _score(scores, labels), read


def by_topic(read: Sequence[Read]) -> dict[str, TopicScore]:
    """Return the scores of each topic that has rows."""
    topics = {topic: [one for one in read if is_of(one.name, one.row)] for topic, is_of in TOPICS.items()}
    return {topic: _topic_score(own) for topic, own in topics.items() if own}


def _topic_score(own: Sequence[Read]) -> TopicScore:
    right = [one.is_right for one in own]
    accuracy, majority = float(np.mean(right)), float(np.mean([one.is_commonest for one in own]))
    return TopicScore(len(own), round(accuracy, 4), _interval(right), round(majority, 4))


class Case(NamedTuple):
    """A claim, the pages that decide it, and whether they show that it is true."""

    claim: str
    pages: Sequence[str]
    is_true: bool


def probed(model: Entailment, cases: Sequence[Case]) -> SetScore:
    """Return how often the likelier one of entailment and contradiction is right, and how well they order claims."""
    premises = [Premise([("", page) for page in one.pages], one.claim) for one in cases]
    labels = [ENTAILED if one.is_true else CONTRADICTED for one in cases]
    scores = [list(one) for one in model.scores(premises)]
    shares = [one[ENTAILED] / (one[ENTAILED] + one[CONTRADICTED]) for one in scores]
    auc = round(float(roc_auc_score([one.is_true for one in cases], shares)), 4)
    return msgspec.structs.replace(_score(scores, labels), auc=auc)


def everyday_cases() -> list[Case]:
    """Return the Supported and Refuted claims with the pages that decide them."""
    return [
        Case(claim.claim, [" ".join(page) for page in pages], claim.label is Verdict.SUPPORTED)
        for claim, pages in deciding_pages()
        if claim.label in SIDE_OF
    ]


def scenario_cases(folder: Path) -> list[Case]:
    """Return the held-out scenarios with each page that supports or refutes them, whole."""
    return [
        Case(one.claim, [whole(page).text], is_true)
        for one in read_scenarios(folder)
        if is_held_out(one)
        for is_true, pages in ((True, one.supports), (False, one.refutes))
        for page in pages
    ]


def contraries_cases(folder: Path) -> list[Case]:
    """Return the held-out contrary claims with each page that decides between them."""
    decided = [one for one in contrary_passages(folder) if one.label in SIDE_OF]
    return [Case(one.claim, [one.passages[0].text], one.label is Verdict.SUPPORTED) for one in decided]


def _score(chances: list[list[float]], labels: list[int]) -> SetScore:
    occurring = sorted(set(labels))
    guessed = np.array([occurring.index(one) for one in _guessed(chances, labels)])
    right = np.array([occurring.index(label) for label in labels])
    accuracy, f1 = class_scores(guessed, right, len(occurring))
    majority = float(np.bincount(right).max() / len(right))
    rounded = (round(accuracy, 4), round(sum(f1) / len(f1), 4), round(majority, 4))
    return SetScore(len(labels), len(occurring), *rounded, interval=_interval((guessed == right).tolist()))


def _guessed(chances: Sequence[Sequence[float]], labels: Sequence[int]) -> list[int]:
    """Return the likeliest label of each row; labels that do not occur are not guessed."""
    occurring = sorted(set(labels))
    return [max(occurring, key=row.__getitem__) for row in chances]


def _right(chances: Sequence[Sequence[float]], labels: Sequence[int]) -> list[bool]:
    return [guess == label for guess, label in zip(_guessed(chances, labels), labels, strict=True)]


def _interval(right: Sequence[bool]) -> Interval:
    low, high = figures([mean_of(np.array(right, float))], len(right), SEED)[0].interval
    return round(low, 4), round(high, 4)


def _mean(scores: Sequence[SetScore]) -> SetScore:
    def of(name: str) -> float:
        return round(float(np.mean([getattr(one, name) for one in scores])), 4)

    return SetScore(sum(one.rows for one in scores), len(LABELS), of("accuracy"), of("macro_f1"), of("majority"))


def _line(name: str, score: SetScore) -> str:
    area = f"  AUC {score.auc:.3f}" if score.auc is not None else ""
    interval = f" ({score.interval[0]:.3f}-{score.interval[1]:.3f})" if score.interval else ""
    return (
        f"{name:28} {score.rows:5} rows  {score.labels} labels  accuracy {score.accuracy:.3f}{interval}  "
        f"macro-F1 {score.macro_f1:.3f}  majority {score.majority:.3f}{area}"
    )


def _topic_line(name: str, score: TopicScore) -> str:
    low, high = score.interval
    return (
        f"{name:28} {score.rows:5} rows of all sets  accuracy {score.accuracy:.3f} ({low:.3f}-{high:.3f})  "
        f"majority {score.majority:.3f}"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench.entailment_sets", description=(__doc__ or "").split("\n\n")[0]
    )
    parser.add_argument("--entailment", type=Path, default=READER, help="folder of the model")
    parser.add_argument("--pack", type=Path, default=PACK, help="folder of the sets")
    parser.add_argument("--rows", type=positive, default=150, help="test rows of a set, at most")
    parser.add_argument("--only", metavar="NAME,NAME", help="score these probes and sets (everyday, scenarios, ...)")
    parser.add_argument("--json", type=Path, help="where to write the result")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
