"""Stage: score evidence and verdicts against the gold claims."""

import time
from pathlib import Path
from typing import Annotated

import msgspec

from src.evaluation.scoreboard import evaluate, render
from src.prediction.prediction_files import join, labelled, read_guesses, url_lists
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.settings import Flag, Seed
from src.store import read_claims

STEP = "src.prediction.evaluate_veracity"


class ScoreSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `score`."""

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


def score(settings: ScoreSettings) -> int:
    """Print the scores of a prediction file, and write them if a file is named.

    Raises InputError for bad input, and OutputError when the file cannot be written.
    """
    began = time.perf_counter()
    claims = read_claims(settings.label_file)
    chosen = in_range(claims, settings.range.start, settings.range.end, settings.label_file)
    golds = labelled(chosen, settings.label_file)
    path = existing_file(settings.prediction_file, "python -m src.prediction.veracity_prediction")
    inputs = {"prediction_file": path, "label_file": settings.label_file}
    if settings.json:
        check_output(settings.json, inputs, "file of scores")
        check_replaced(settings.json, STEP, "file of scores")
    known = [claim.claim_id for claim in claims]
    guesses = join(chosen, read_guesses(path), path, known=known, allow_missing=settings.allow_missing)
    board = evaluate(
        golds, guesses, with_baselines=not settings.no_floors, seed=None if settings.no_intervals else settings.seed
    )
    notes = [*upstream_failures([path]), *_of_url_lists(path)]
    for line in (f"{how_many(len(chosen), 'claim')}: {path} against {settings.label_file}", *notes):
        say_error(line)
    say("\n".join(render(board)))
    if settings.json:
        made = fingerprint(STEP, settings, inputs, [claim.claim_id for claim in chosen])
        manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
        write_output(settings.json, [msgspec.json.format(msgspec.json.encode(board)) + b"\n"], [], manifest)
    return 0


def _of_url_lists(path: Path) -> list[str]:
    """Return a one-item list with a note if evidence has a list as url: it is scored, but cannot be submitted."""
    if not (claims := url_lists(path)):
        return []
    claim_id, line = claims[0]
    first = f"the first is claim {claim_id}, line {line}"
    return [
        f"note: {how_many(len(claims), 'claim')} with a list as url ({first}): scored, but not valid as a submission"
    ]
