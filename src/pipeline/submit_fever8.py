"""Stage: write the submission of FEVER-8: a CSV table with a line for each claim."""

import csv
import io
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from src.prediction.prediction_files import CSV_COLUMNS, END_OF_PAIR, END_OF_PART
from src.records import Prediction, QAPair
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.console import how_many, say, say_error
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, upstream_failures
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.settings import Flag
from src.store import read_by_claim

STEP = "src.prediction.fever8_submission"
Split = Literal["dev", "test"]


class Fever8Settings(msgspec.Struct, frozen=True, kw_only=True):
    """Settings of `write_fever8`."""

    prediction_file: Annotated[Path, Flag("predictions", "-i")] = Path("data_store/dev_veracity_prediction.json")
    output: Annotated[Path, Flag("the submission, a CSV table", "-o", "--output_file")] = Path(
        "data_store/dev_fever8_submission.csv"
    )
    split: Annotated[Split, Flag("the column split")] = "dev"
    range: Claims = ClaimRange()


def write_fever8(settings: Fever8Settings) -> int:
    """Write the submission, and replace an earlier one.

    Raises InputError for bad input, and OutputError when the file cannot be written.
    """
    began = time.perf_counter()
    source = existing_file(settings.prediction_file, "python -m src.pipeline")
    inputs = {"prediction_file": source}
    check_output(settings.output, inputs, "submission")
    check_replaced(settings.output, STEP, "submission")
    claims = in_range(read_by_claim(source, Prediction), settings.range.start, settings.range.end, source)
    made = fingerprint(STEP, settings, inputs, [claim.claim_id for claim in claims])
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
    write_output(settings.output, [fever8_table(claims, settings.split).encode()], [], manifest)
    for note in upstream_failures([source]):
        say_error(note)
    say(f"fever8_submission: {how_many(len(claims), 'claim')} -> {settings.output}")
    return 0


def fever8_table(claims: Iterable[Prediction], split: str) -> str:
    """Return the predictions as the text of a CSV table with a header."""
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for claim in claims:
        evidence = "".join(_cell(pair) for pair in claim.evidence)
        writer.writerow([claim.claim_id, _without_returns(claim.claim), evidence, claim.pred_label.value, split])
    return file.getvalue()


def _cell(pair: QAPair) -> str:
    return f"{_text(pair.question)}{END_OF_PART}{_text(pair.answer)}{END_OF_PAIR}"


def _text(text: str) -> str:
    """Return a text without tabs and outer white space, which would be read as the end of a part."""
    return _without_returns(text).replace("\t", " ").strip()


def _without_returns(text: str) -> str:
    """Return a text with line feeds for carriage returns, which csv does not quote and readers may change."""
    return text.replace("\r\n", "\n").replace("\r", "\n")
