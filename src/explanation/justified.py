"""Output of `--predictions`: a list of predictions, each with the explanation of its claim as justification."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from src.explanation.records import ExplainedClaim
from src.records import Prediction
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest
from src.runner.output import read_failures, write_output
from src.runner.paths import check_output, check_replaced
from src.settings import Flag
from src.store import list_pieces, read_by_claim

STEP = "src.explanation --predictions"


class JustifiedPredictions(msgspec.Struct, frozen=True):
    """Path of the file for predictions with justifications; None: no such file.

    It is not part of the settings of a run, because it does not change the explanations.
    """

    predictions: Annotated[Path | None, Flag("write the predictions with their justification to this file, too")] = None

    def check(self, output: Path, inputs: Mapping[str, Path]) -> None:
        """Check that the file can be written, if one is named. `output` and `inputs` are the output and the input files
        of the step that explains.

        Raises InputError if a file would be overwritten or the input is no list of predictions, OutputError if the file
        cannot be written.
        """
        if self.predictions is not None:
            read_by_claim(inputs["claims_file"], Prediction)
            check_output(self.predictions, {"output_file": output, **inputs}, "file of predictions")
            check_replaced(self.predictions, STEP, "file of predictions")

    def write(self, source: Path, explanations: Path) -> None:
        """Write the predictions of the explained claims, in the order of the `source` file, if a file is named.

        Raises InputError if an input cannot be read, OutputError if the file cannot be written.
        """
        if self.predictions is None:
            return
        began = time.perf_counter()
        texts = {one.claim_id: one.explanation for one in read_by_claim(explanations, ExplainedClaim)}
        chosen = [one for one in read_by_claim(source, Prediction) if one.claim_id in texts]
        records = [msgspec.structs.replace(one, justification=texts[one.claim_id] or None) for one in chosen]
        inputs = {"claims_file": source, "explanations": explanations}
        made = fingerprint(STEP, self, inputs, [one.claim_id for one in records])
        manifest = new_manifest(made, self, seconds={"wall": time.perf_counter() - began})
        write_output(self.predictions, list_pieces(records), read_failures(explanations), manifest)
