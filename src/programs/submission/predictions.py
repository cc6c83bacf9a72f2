"""File of predictions with the verdicts of traces: its flags, its two forms, and its writer."""

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from src.programs.answerers.missing import missing_path
from src.programs.records import ClaimTrace, TwoLabel, TwoLabelPrediction
from src.programs.submission.evidence_pairs import evidence_pairs
from src.programs.trace_file import read_traces
from src.records import Level, Prediction, QAPair, Value, Verdict
from src.runner.arguments import positive, refuse_unread
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import read_failures, write_output
from src.runner.paths import check_output, check_replaced
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


class Predictions(NamedTuple):
    """The settings of the file: its path, its labels, and the number of pairs."""

    path: Path
    labels: str
    top_n: int

    def write(self, traces: Path) -> None:
        """Write the predictions with a manifest, and with the failures of the traces.

        Raises OutputError when the file cannot be written, and MissingExtra like `evidence_pairs`.
        """
        began = time.perf_counter()
        found = read_traces(traces)
        pairs = evidence_pairs(found, self.top_n)
        records = [FORMS[self.labels](*both) for both in zip(found, pairs, strict=True)]
        args = Namespace(predictions=str(self.path), labels=self.labels, top_n=self.top_n)
        made = fingerprint(STEP, args, {"trace": traces}, [trace.claim_id for trace in found])
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        write_output(self.path, encode_list(records), read_failures(traces), manifest)


def add_prediction_flags(flags: ArgumentParser) -> None:
    flags.add_argument("--predictions", type=Path, help="verdicts with the steps as evidence, one JSON list, go there")
    flags.add_argument("--labels", choices=list(FORMS), default="averitec",
                       help="of these: four verdicts, or supports and refutes as in HOVER and FEVEROUS")  # fmt: skip
    flags.add_argument("--top_n", type=positive, default=10, help="pairs of a prediction, those that decide first")


def take_predictions(args: Namespace, flags: ArgumentParser, inputs: Mapping[str, Path]) -> Predictions | None:
    """Return the settings of the predictions and remove them from `args`, because they do not change the traces.

    Raises InputError when a file would be lost, when the path is a folder, or when --labels or --top_n has no effect.
    Raises OutputError when the file could not be written.
    """
    if args.predictions is None:
        refuse_unread(args, flags, ("labels", "top_n"), "goes with --predictions")
    path, labels, top_n = args.predictions, args.labels, args.top_n
    del args.predictions, args.labels, args.top_n
    if path is None:
        return None
    traces = Path(args.output)
    kept = {"output_file": traces, "output_file's missing steps": missing_path(traces), **inputs}
    check_output(path, kept, "file of predictions")
    check_replaced(path, STEP, "file of predictions")
    return Predictions(path, labels, top_n)
