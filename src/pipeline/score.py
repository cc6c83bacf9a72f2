"""Stage: score evidence and verdicts against the gold claims, by METEOR and, if requested, by a judge (Ev2R)."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec

from src.ev2r.judge import EvidenceJudge
from src.ev2r.loading import JudgingSettings, load_judge
from src.ev2r.records import Status
from src.ev2r.run import judged_scores
from src.ev2r.scores import Ev2RScores
from src.ev2r.table import sections
from src.evaluation.averitec import Gold, Guess
from src.evaluation.scoreboard import Scoreboard, evaluate, render
from src.evaluation.tables import as_text
from src.prediction.prediction_files import join, labelled, read_guesses, refuse_claims, url_lists
from src.prediction.proxy import proxy_source, read_by_proxy
from src.records import Claim
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.settings import Flag, Group, Seed, flag_names, refuse_unread
from src.store import read_claims

STEP = "src.prediction.evaluate_veracity"
EV2R_STEP = "src.prediction.evaluate_ev2r"


class ScoredFileSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of every score of a prediction file."""

    prediction_file: Annotated[
        Path, Flag("predictions: JSON list, JSON lines or FEVER-8 CSV, gzipped or not", "-i")
    ] = Path("data_store/dev_veracity_prediction.json")
    label_file: Annotated[Path, Flag("gold claims")] = Path("data/dev.json")
    range: Claims = ClaimRange()
    allow_missing: Annotated[bool, Flag("score claims without prediction as wrong")] = False
    json: Annotated[Path | None, Flag("write the scores here too", metavar="FILE")] = None
    no_intervals: Annotated[bool, Flag("leave out the 95 % intervals")] = False
    no_floors: Annotated[bool, Flag("leave out the two baselines")] = False
    seed: Annotated[Seed, Flag("of the resampling behind the intervals")] = 0

    @property
    def resampling(self) -> int | None:
        """Return the seed of the resampling; None if no intervals are wanted."""
        return None if self.no_intervals else self.seed


Judging = Annotated[JudgingSettings, Group("Ev2R: a judge of the evidence")]


class Ev2RSettings(ScoredFileSettings, frozen=True, kw_only=True):
    """Settings of `score_by_judge`."""

    judging: Judging = JudgingSettings()


class ScoreSettings(ScoredFileSettings, frozen=True, kw_only=True):
    """Settings of `score`."""

    ev2r: Annotated[bool, Flag("score by a judge, too, as src.prediction.evaluate_ev2r does")] = False
    judging: Judging = JudgingSettings()


class ScoresWithEv2R(Scoreboard, kw_only=True):
    """The scores by METEOR and those by a judge."""

    ev2r: Ev2RScores


class Scored(NamedTuple):
    """What is scored: claims with their gold evidence and predictions, in the same order, and the input files.

    `notes`: lines for the user.
    """

    claims: Sequence[Claim]
    golds: Sequence[Gold]
    guesses: Sequence[Guess]
    inputs: dict[str, Path]
    notes: list[str]


def score(settings: ScoreSettings) -> int:
    """Print the scores of a prediction file, and write them if a file is named. Return the exit code.

    Raises InputError for bad input, OutputError when the file cannot be written, FatalError when a judge cannot go on.
    """
    began = time.perf_counter()
    if not settings.ev2r:
        refuse_unread(settings, flag_names(JudgingSettings), "is read with --ev2r only")
    scored = _read(settings, STEP)
    judge = _judge(settings.judging, scored, settings.label_file) if settings.ev2r else None
    _say_notes(scored)
    board = evaluate(scored.golds, scored.guesses, with_baselines=not settings.no_floors, seed=settings.resampling)
    say("\n".join(render(board)))
    if judge is None:
        return _write(settings, STEP, scored, board, began)
    judged = _judged(judge, settings, settings.judging, scored)
    say("\n".join(["", *as_text(sections(judged))]))
    both = ScoresWithEv2R(**_fields(board), ev2r=judged)
    return _write(settings, STEP, scored, both, began) or _exit_code(judged)


def score_by_judge(settings: Ev2RSettings) -> int:
    """Print the scores of a prediction file by a judge, and write them if a file is named. Return the exit code.

    Raises InputError for bad input, OutputError when the file cannot be written, FatalError when the judge cannot go
    on.
    """
    began = time.perf_counter()
    scored = _read(settings, EV2R_STEP)
    judge = _judge(settings.judging, scored, settings.label_file)
    _say_notes(scored)
    judged = _judged(judge, settings, settings.judging, scored)
    say("\n".join(as_text(sections(judged))))
    return _write(settings, EV2R_STEP, scored, judged, began) or _exit_code(judged)


def _read(settings: ScoredFileSettings, step: str) -> Scored:
    """Return what is scored. Raises InputError."""
    claims = read_claims(settings.label_file)
    chosen = in_range(claims, settings.range.start, settings.range.end, settings.label_file)
    golds = labelled(chosen, settings.label_file)
    path = existing_file(settings.prediction_file, "python -m src.prediction.veracity_prediction")
    inputs = {"prediction_file": path, "label_file": settings.label_file}
    if settings.json:
        check_output(settings.json, inputs, "file of scores")
        check_replaced(settings.json, step, "file of scores")
    known = [claim.claim_id for claim in claims]
    guesses = join(chosen, read_guesses(path), path, known=known, allow_missing=settings.allow_missing)
    first = f"{how_many(len(chosen), 'claim')}: {path} against {settings.label_file}"
    return Scored(chosen, golds, guesses, inputs, [first, *upstream_failures([path]), *_of_url_lists(path)])


def _say_notes(scored: Scored) -> None:
    """Print the notes; what is refused is refused before them."""
    for line in scored.notes:
        say_error(line)


def _judge(judging: JudgingSettings, scored: Scored, label_file: Path) -> EvidenceJudge:
    """Load the judge. Raises InputError, also for an unknown proxy, and if claims have no gold questions."""
    refuse_claims(
        "without gold questions, which Ev2R compares with",
        [claim.claim_id for claim in scored.claims if not claim.questions],
        label_file,
        "questions",
    )
    if judging.proxy is not None:
        proxy_source(judging.proxy)
    return load_judge(judging)


def _judged(judge: EvidenceJudge, settings: ScoredFileSettings, judging: JudgingSettings, scored: Scored) -> Ev2RScores:
    proxy = None
    if judging.proxy is not None:
        proxy = read_by_proxy(
            judging.proxy,
            judging.engine,
            scored.golds,
            scored.guesses,
            with_baselines=not settings.no_floors,
            seed=settings.resampling,
        )
    return judged_scores(
        judge,
        scored.claims,
        scored.guesses,
        judging,
        with_baselines=not settings.no_floors,
        seed=settings.resampling,
        proxy=proxy,
    )


def _exit_code(judged: Ev2RScores) -> int:
    """Return 0 if every answer of the judge was used, else 1, as every step does when claims failed."""
    asked = [one.baseline for one in judged.claims if one.baseline is not None]
    whole = judged.scored == judged.n and all(one.status is Status.SCORED for one in asked)
    return 0 if whole else 1


def _write(settings: ScoredFileSettings, step: str, scored: Scored, result: msgspec.Struct, began: float) -> int:
    """Write the scores and their manifest if a file is named, and return 0. Raises OutputError."""
    if settings.json:
        made = fingerprint(step, settings, scored.inputs, [claim.claim_id for claim in scored.claims])
        manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
        write_output(settings.json, [msgspec.json.format(msgspec.json.encode(result)) + b"\n"], [], manifest)
    return 0


def _fields(board: Scoreboard) -> dict[str, Any]:
    return {name: getattr(board, name) for name in Scoreboard.__struct_fields__}


def _of_url_lists(path: Path) -> list[str]:
    """Return a one-item list with a note if evidence has a list as url: it is scored, but cannot be submitted."""
    if not (claims := url_lists(path)):
        return []
    claim_id, line = claims[0]
    first = f"the first is claim {claim_id}, line {line}"
    return [
        f"note: {how_many(len(claims), 'claim')} with a list as url ({first}): scored, but not valid as a submission"
    ]
