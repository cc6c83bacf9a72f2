"""Ev2R of published systems on AVeriTeC's dev claims, beside METEOR, a verdict model as proxy, and another judge.

    python -m bench.ev2r [--judge entailment] [--start 0 --end 500] [--also NAME=FILE …] [--json FILE]
    python -m bench.ev2r --judge qwen2.5-coder-1.5b --end 10 --beside bench/results/ev2r.json --cache_dir CACHE

The gold evidence itself is a row, as the upper bound, and the evidence of one system given to the wrong claims another,
as the lower bound. `--also` adds other prediction files. `--beside` gives the correlation, over claims, with another
judge's recalls of the same systems.

Limitations: no ratings by people are in the data, so no judge is compared with people here.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from bench.command import StepParser, command, natural, positive
from bench.ev2r.record import Likeness, Meteor, Recall, Result, Row
from bench.scoreboard.published import AVERITEC, SYSTEMS, peer
from src.atomic_file import write_whole
from src.errors import InputError
from src.ev2r.judge import EvidenceJudge
from src.ev2r.loading import JudgingSettings, load_judge
from src.ev2r.records import ClaimJudgment, Status
from src.ev2r.run import judged_scores
from src.ev2r.scores import FIGURES, Ev2RScores, Means
from src.ev2r.texts import ClaimTexts
from src.evaluation.averitec import Guess, score
from src.evaluation.scoreboard import scoreboard
from src.evaluation.tables import Section as Table
from src.evaluation.tables import as_markdown, interval, number
from src.llm import Options
from src.prediction.prediction_files import join, labelled, read_guesses
from src.prediction.proxy import read_by_proxy
from src.records import Claim
from src.runner.claim_range import in_range
from src.store import read_claims, read_json

GOLD, OTHERS = "gold evidence (upper bound)", "FEVER-8 baseline, evidence of the next claim (lower bound)"
GOLD_FILE, LOWER = "fever8_solution_dev.csv.gz", "FEVER-8 baseline"


class KeptJudge:
    """A judge that is asked once about equal evidence, such as that of two systems with the same answers."""

    def __init__(self, judge: EvidenceJudge) -> None:
        self._judge = judge
        self._kept: dict[tuple[ClaimTexts, bool], ClaimJudgment] = {}
        self.info, self.prompt_sha256, self.at_once = judge.info, judge.prompt_sha256, judge.at_once

    def judge(self, claims: Sequence[ClaimTexts], *, only_questions: bool = False) -> list[ClaimJudgment]:
        keys = [(_hashable(claim), only_questions) for claim in claims]
        new = [claim for claim, key in zip(claims, keys, strict=True) if key not in self._kept]
        answers: dict[tuple[ClaimTexts, bool], ClaimJudgment] = {}
        if new:
            judged = self._judge.judge(new, only_questions=only_questions)
            answers = {(_hashable(claim), only_questions): one for claim, one in zip(new, judged, strict=True)}
            self._kept |= {key: one for key, one in answers.items() if one.status is Status.SCORED}
        return [self._kept.get(key) or answers[key] for key in keys]


def _hashable(claim: ClaimTexts) -> ClaimTexts:
    return claim._replace(predicted=tuple(claim.predicted), reference=tuple(claim.reference))


class Judging(NamedTuple):
    """What all rows share: the judge, its settings, the claims, the verdict model of the proxy, and recalls of another
    judge by system.
    """

    judge: EvidenceJudge
    settings: JudgingSettings
    claims: Sequence[Claim]
    proxy: str | None
    other: dict[str, list[Recall]]


@command
def main(argv: Sequence[str] | None = None) -> int:
    flags = StepParser(prog="python -m bench.ev2r", description=(__doc__ or "").split("\n\n")[0])
    flags.add_argument("--judge", default=JudgingSettings().judge, help="as of src.prediction.evaluate_ev2r")
    flags.add_argument("--start", type=natural, default=0, help="first claim_id")
    flags.add_argument("--end", type=positive, default=500, help="claim_id after the last one")
    flags.add_argument("--only", nargs="+", default=[], metavar="SYSTEM", help="only these systems")
    flags.add_argument("--also", nargs="+", default=[], metavar="NAME=FILE", help="other prediction files")
    flags.add_argument("--proxy", help="verdict model, such as stacked")
    flags.add_argument("--beside", type=Path, help="results of another judge")
    flags.add_argument("--cache_dir", type=Path, help="cache of a language model's answers")
    flags.add_argument("--json", type=Path, help="where to write the rows")
    args = flags.parse_args(argv)
    result = measured(args)
    print(table(result))
    if args.json:
        write_whole(args.json, msgspec.json.format(msgspec.json.encode(result), indent=1) + b"\n")
    return 0


def measured(args: argparse.Namespace) -> Result:
    """Return the rows of all systems. Raises InputError, ModelError."""
    settings = JudgingSettings(judge=args.judge, engine=Options(cache_dir=args.cache_dir))
    other = read_json(args.beside, Result) if args.beside else None
    claims = in_range(read_claims(AVERITEC / "dev.json"), args.start, args.end, AVERITEC / "dev.json")
    judging = Judging(
        KeptJudge(load_judge(settings)),
        settings,
        claims,
        args.proxy,
        {row.system: row.recalls for row in other.rows} if other else {},
    )
    rows, found = [], None
    for system, guesses in _systems(args, claims):
        row, found = row_of(judging, system, guesses)
        rows.append(row)
        print(f"{system}: {row.seconds:.0f} s, evidence recall {number(row.means.evidence_recall)}", flush=True)
    if found is None:
        raise InputError("--only names none of the systems")
    return Result(found.judge, args.start, args.end, other.judge.judge if other else "", rows)


def _systems(args: argparse.Namespace, claims: Sequence[Claim]) -> Iterator[tuple[str, list[Guess]]]:
    files = {system: peer(name) for named in SYSTEMS.values() for system, name in named.items()}
    files = {GOLD: peer(GOLD_FILE)} | files
    for given in args.also:
        name, is_given, path = given.partition("=")
        if not is_given:
            raise InputError(f"--also {given}: is not NAME=FILE")
        files[name] = Path(path)
    known = range(500)
    for system, path in files.items():
        if args.only and system not in args.only:
            continue
        guesses = join(claims, read_guesses(path), path, known=known)
        yield system, guesses
        if system == LOWER:
            yield OTHERS, moved(guesses)


def moved(guesses: Sequence[Guess]) -> list[Guess]:
    """Return each claim's prediction with the evidence of the next claim."""
    shifted = [*guesses[1:], *guesses[:1]]
    return [
        Guess(one.claim_id, one.verdict, other.evidence, one.claim) for one, other in zip(guesses, shifted, strict=True)
    ]


def row_of(judging: Judging, system: str, guesses: Sequence[Guess]) -> tuple[Row, Ev2RScores]:
    golds = labelled(judging.claims, AVERITEC / "dev.json")
    meteor = [score(gold, guess) for gold, guess in zip(golds, guesses, strict=True)]
    board = scoreboard(meteor, None, None)
    proxy = None
    if judging.proxy:
        proxy = read_by_proxy(judging.proxy, Options(), golds, guesses)
    began = time.perf_counter()
    found = judged_scores(judging.judge, judging.claims, guesses, judging.settings, with_baselines=True, seed=0)
    seconds = time.perf_counter() - began
    recalls = list(_recalls(found))
    lexical = [
        Recall(guess.claim_id, one.question_only, one.question_answer)
        for guess, one in zip(guesses, meteor, strict=True)
    ]
    other = judging.other.get(system)
    return Row(
        system,
        found.scored,
        found.unparseable,
        found.call_failed,
        _means_of(found),
        found.intervals,
        found.baselines,
        Meteor(board.question_only, board.question_answer, board.averitec["0.25"]),
        proxy,
        round(seconds, 1),
        likeness(recalls, lexical),
        None if other is None else likeness(recalls, other),
        recalls,
    ), found


def _means_of(found: Ev2RScores) -> Means[float]:
    return Means(**{name: getattr(found, name) for name in FIGURES})


def _recalls(found: Ev2RScores) -> Iterator[Recall]:
    for one in found.claims:
        questions, evidence = one.judgment.questions, one.judgment.evidence
        if evidence is not None:
            yield Recall(one.claim_id, round(questions.recall, 4) if questions else None, round(evidence.recall, 4))


def likeness(ours: Sequence[Recall], others: Sequence[Recall]) -> Likeness:
    """Return Spearman's correlation over the claims that both have."""
    theirs = {one.claim_id: one for one in others}
    pairs = [(one, theirs[one.claim_id]) for one in ours if one.claim_id in theirs]
    questions = [(one.questions, other.questions) for one, other in pairs]
    known = [(one, other) for one, other in questions if one is not None and other is not None]
    return Likeness(_spearman(known), _spearman([(one.evidence, other.evidence) for one, other in pairs]), len(pairs))


def _spearman(pairs: Sequence[tuple[float, float]]) -> float | None:
    from scipy.stats import spearmanr

    if any(len(set(side)) < 2 for side in zip(*pairs, strict=True)) or not pairs:
        return None
    ours, theirs = [one for one, _ in pairs], [other for _, other in pairs]
    return round(float(spearmanr(ours, theirs).statistic), 4)


def table(result: Result) -> str:
    """Return the rows as Markdown."""
    rows = [["system", "Q recall", "Q+A recall", "95 % interval", "> .5", ">= .5", "METEOR Q+A", "proxy", "s"]]
    for one in result.rows:
        bounds = one.intervals.evidence_recall if one.intervals else None
        rows.append(
            [
                one.system,
                number(one.means.question_recall),
                number(one.means.evidence_recall),
                interval(bounds) if bounds else "",
                number(one.means.averitec_above_half),
                number(one.means.averitec_at_least_half),
                number(one.meteor.question_answer),
                number(one.proxy.accuracy) if one.proxy else "",
                f"{one.seconds:.0f}",
            ]
        )
    return as_markdown([Table(f"Ev2R by {result.judge.judge}, dev claims {result.start} to {result.end - 1}", rows)])


if __name__ == "__main__":
    raise SystemExit(main())
