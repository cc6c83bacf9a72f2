"""File of predictions with the verdicts of traces: its flags, its two forms, and its writer."""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from src.programs.answerers.missing import missing_path
from src.programs.records import ClaimTrace, TwoLabel, TwoLabelPrediction
from src.programs.submission.evidence_pairs import evidence_pairs
from src.programs.trace_file import read_traces
from src.records import Level, Prediction, QAPair, Value, Verdict
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import read_failures, write_output
from src.runner.paths import check_output, check_replaced
from src.settings import Flag, Positive, refuse_unread
from src.store import encode_list

STEP = "src.programs.execute_programs --predictions"
Record = Prediction | TwoLabelPrediction
VERDICT = {
    Value.TRUE: Verdict.SUPPORTED,
    Value.FALSE: Verdict.REFUTED,
    Value.UNKNOWN: Verdict.NOT_ENOUGH_EVIDENCE,
    Value.CONFLICTING: Verdict.CONFLICTING,
}


def prediction(trace: ClaimTrace, pairs: list[QAPair]) -> Prediction:
    """Return the verdict of the programs. Its level is undecided, because the precision of programs was not
    measured."""
    return Prediction(trace.claim_id, trace.claim, pairs, VERDICT[trace.value], level=Level.UNDECIDED)


def two_label_prediction(trace: ClaimTrace, pairs: list[QAPair]) -> TwoLabelPrediction:
    return TwoLabelPrediction(trace.claim_id, trace.claim, pairs, TwoLabel.of(trace.value))


FORMS: dict[str, Callable[[ClaimTrace, list[QAPair]], Record]] = {
    "averitec": prediction,
    "hover": two_label_prediction,
}


class PredictionSettings(msgspec.Struct, frozen=True, kw_only=True):
    """The file of predictions: its path, its labels, and the number of pairs."""

    predictions: Annotated[Path | None, Flag("verdicts with the steps as evidence, one JSON list, go there")] = None
    labels: Annotated[
        Literal["averitec", "hover"],
        Flag("of these: four verdicts, or supports and refutes as in HOVER and FEVEROUS"),
    ] = "averitec"
    top_n: Annotated[Positive, Flag("pairs of a prediction, those that decide first")] = 10

    def check(self, traces: Path, inputs: Mapping[str, Path]) -> None:
        """Raise InputError when a file would be lost, or when --labels or --top_n has no effect.

        Raises OutputError when the file could not be written.
        """
        if self.predictions is None:
            refuse_unread(self, ("labels", "top_n"), "goes with --predictions")
            return
        kept = {"output_file": traces, "output_file's missing steps": missing_path(traces), **inputs}
        check_output(self.predictions, kept, "file of predictions")
        check_replaced(self.predictions, STEP, "file of predictions")


def write_predictions(settings: PredictionSettings, traces: Path) -> None:
    """Write the predictions with a manifest, and with the failures of the traces.

    Raises OutputError when the file cannot be written, and MissingExtra like `evidence_pairs`.
    """
    assert settings.predictions is not None
    began = time.perf_counter()
    found = read_traces(traces)
    pairs = evidence_pairs(found, settings.top_n)
    records = [FORMS[settings.labels](*both) for both in zip(found, pairs, strict=True)]
    made = fingerprint(STEP, settings, {"trace": traces}, [trace.claim_id for trace in found])
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
    write_output(settings.predictions, encode_list(records), read_failures(traces), manifest)
