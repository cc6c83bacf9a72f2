"""The flag `--predictions`: a list of predictions with each claim's explanation as its justification."""

import time
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.explanation.records import ExplainedClaim
from src.records import Prediction
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import read_failures, write_output
from src.runner.paths import check_output, check_replaced
from src.store import encode_list, read_by_claim

STEP = "src.explanation --predictions"


class Justified(NamedTuple):
    """Writer of the predictions with justifications to `path`."""

    path: Path

    def write(self, predictions: Path, explanations: Path) -> None:
        """Write the predictions of the explained claims, in their order.

        Raises: InputError if an input cannot be read, OutputError if the file cannot be written.
        """
        began = time.perf_counter()
        texts = {one.claim_id: one.explanation for one in read_by_claim(explanations, ExplainedClaim)}
        found = [one for one in read_by_claim(predictions, Prediction) if one.claim_id in texts]
        records = [msgspec.structs.replace(one, justification=texts[one.claim_id] or None) for one in found]
        args = Namespace(predictions=str(self.path))
        inputs = {"claims_file": predictions, "explanations": explanations}
        made = fingerprint(STEP, args, inputs, [one.claim_id for one in records])
        manifest = new_manifest(made, args, seconds={"wall": time.perf_counter() - began})
        write_output(self.path, encode_list(records), read_failures(explanations), manifest)


def add_justified_flag(flags: ArgumentParser) -> None:
    flags.add_argument("--predictions", type=Path, help="the predictions with their justification go there, too")


def take_justified(args: Namespace, inputs: Mapping[str, Path]) -> Justified | None:
    """Remove `predictions` from the settings and return its writer; None without the flag.

    The flag does not change the explanations, and must not be part of the run's fingerprint.
    Raises: InputError if a file would be overwritten or the input is no list of predictions; OutputError if the file
    cannot be written.
    """
    path = args.predictions
    del args.predictions
    if path is None:
        return None
    read_by_claim(inputs["claims_file"], Prediction)
    check_output(path, {"output_file": Path(args.output), **inputs}, "file of predictions")
    check_replaced(path, STEP, "file of predictions")
    return Justified(path)
