"""Step: write predictions as a table (CSV, UTF-8): one line a claim, with verdict, level, probabilities and evidence.

An undecided claim has no verdict, only a likeliest one.

Reads predictions, submissions and shards' merged files. An earlier table is replaced.
"""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import msgspec

from src.atomic_file import write_whole
from src.prediction.prediction_files import refuse_claims
from src.records import VERDICTS, Claim, Level, Prediction
from src.runner.console import how_many, say
from src.runner.paths import check_output, existing_file
from src.runner.step import step
from src.settings import Flag, Positive
from src.store import read_by_claim, read_claims
from src.text import same

PAIR = ("question", "answer", "url")
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet takes for the beginning of a formula


class CsvSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of the step `export_csv`."""

    input: Annotated[Path, Flag("predictions", "-i")]
    output: Annotated[Path, Flag("the table", "-o")]
    label_file: Annotated[Path | None, Flag("claims with labels, for a column of them")] = None
    pairs: Annotated[Positive, Flag("question-answer pairs of a claim that have columns")] = 10


@step(CsvSettings)
def main(settings: CsvSettings) -> int:
    path = existing_file(settings.input, "python -m src.prediction.veracity_prediction")
    inputs = {"input": path} | ({"label_file": settings.label_file} if settings.label_file else {})
    check_output(settings.output, inputs, "output")
    predictions = list(read_by_claim(path, Prediction))
    claims = None if settings.label_file is None else _labelled(settings.label_file, predictions)
    text = table(predictions, claims, settings.pairs)
    write_whole(settings.output, text.encode("utf-8-sig"))
    say(f"{settings.output}: {how_many(len(predictions), 'claim')}")
    return 0


def _labelled(path: Path, predictions: list[Prediction]) -> dict[int, Claim]:
    """Return the claims of a file by claim_id. Raises InputError if a prediction is for another claim."""
    claims = {claim.claim_id: claim for claim in read_claims(path)}
    others = [one.claim_id for one in predictions if not _is_same(one, claims.get(one.claim_id))]
    refuse_claims("of other text than in the predictions", others, path, "claim")
    return claims


def _is_same(prediction: Prediction, claim: Claim | None) -> bool:
    return claim is not None and same(claim.claim) == same(prediction.claim)


def table(predictions: list[Prediction], claims: dict[int, Claim] | None, pairs: int) -> str:
    """Return the table; `claims` with labels by claim_id give it the column `label`."""
    most = min(pairs, max((len(one.evidence) for one in predictions), default=0))
    head = ["claim_id", "claim", *(["label"] if claims is not None else []), "verdict", "level", "likeliest", *VERDICTS,
            "justification", *(f"{name}_{n}" for n in range(1, most + 1) for name in PAIR)]  # fmt: skip
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(head)
    for one in predictions:
        writer.writerow([_safe(cell) for cell in _cells(one, claims, most)])
    return buffer.getvalue()


def _cells(one: Prediction, claims: dict[int, Claim] | None, most: int) -> Iterator[str]:
    yield from (str(one.claim_id), one.claim)
    if claims is not None:
        claim = claims.get(one.claim_id)
        yield str(claim.label or "") if claim else ""
    yield from ("" if one.level is Level.UNDECIDED else one.pred_label, one.level or "", one.pred_label)
    chances = one.probabilities or {}
    yield from (f"{chances[verdict]:.4f}" if verdict in chances else "" for verdict in VERDICTS)
    yield one.justification or ""
    for pair in one.evidence[:most]:
        yield from (pair.question, pair.answer, pair.url)


def _safe(cell: str) -> str:
    """Return the cell so that no spreadsheet takes text of a page for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


if __name__ == "__main__":
    raise SystemExit(main())
