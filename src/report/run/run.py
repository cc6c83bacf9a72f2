"""What a run's folder holds, as records: predictions, and of the other steps whatever is there."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.explanation.records import ExplainedClaim, Finding
from src.programs.records import ClaimTrace
from src.programs.trace_file import read_traces
from src.records import Claim, Prediction, RankedSentences
from src.report.run.folder import RunFolder
from src.report.run.steps import StepMade, steps_made
from src.reranking.top_file import read_ranked
from src.runner.manifest import read_manifest
from src.store import read_by_claim, read_records, sha256

EXPLANATIONS = ("explanations.json", "debates.json")  # what was debated stands for what it was before


class Run(msgspec.Struct, frozen=True):
    """All but `predictions` may be empty. `claims` are those of the label file, by claim_id, as are the others.

    `findings` are of the shown explanations, empty for one that was checked and has none; `outdated` counts, by file,
    explanations that are not shown, being of another verdict or other evidence than the prediction; `steps` are in the
    order of the pipeline.
    """

    name: str
    folder: Path
    predictions: Sequence[Prediction]
    claims: Mapping[int, Claim] = {}
    sentences: Mapping[int, RankedSentences] = {}
    traces: Mapping[int, ClaimTrace] = {}
    explanations: Mapping[int, ExplainedClaim] = {}
    findings: Mapping[int, Sequence[Finding]] = {}
    outdated: Mapping[str, int] = {}
    steps: Sequence[StepMade] = ()

    @property
    def is_labelled(self) -> bool:
        """Whether every predicted claim has a label."""
        return all(
            one.claim_id in self.claims and self.claims[one.claim_id].label is not None for one in self.predictions
        )


def read_run(folder: RunFolder, name: str, claims: Sequence[Claim] = ()) -> Run:
    """Raises InputError (file, line, field), also where a prediction's claim is another one in the label file."""
    predictions = sorted(read_by_claim(folder.predictions, Prediction), key=lambda one: one.claim_id)
    if not predictions:
        raise InputError("holds no predictions", path=folder.predictions)
    by_id = {claim.claim_id: claim for claim in claims}
    _check_claims(predictions, by_id, folder.predictions)
    ranked, traces = folder.file("top_k_sentences.json"), folder.file("program_trace.json")
    files = [path for name in EXPLANATIONS if (path := folder.file(name))]
    explained = {path: _explained(path, predictions) for path in files}
    shown = {one.claim_id: (one, path) for path, (kept, _) in explained.items() for one in kept}
    return Run(
        name=name,
        folder=folder.path,
        predictions=predictions,
        claims=by_id,
        sentences={one.claim_id: one for one in read_ranked(ranked)} if ranked else {},
        traces={one.claim_id: one for one in read_traces(traces)} if traces else {},
        explanations={claim_id: one for claim_id, (one, _) in shown.items()},
        findings=_findings(folder, {claim_id: path for claim_id, (one, path) in shown.items() if one.explanation}),
        outdated={path.name: left_out for path, (_, left_out) in explained.items() if left_out},
        steps=steps_made(folder),
    )


def _explained(path: Path, predictions: Sequence[Prediction]) -> tuple[list[ExplainedClaim], int]:
    """Those that explain the predictions, and how many explain others."""
    known = {one.claim_id: one for one in predictions}
    ours = [one for one in read_by_claim(path, ExplainedClaim) if one.claim_id in known]
    kept = [one for one in ours if _explains(one, known[one.claim_id])]
    return kept, len(ours) - len(kept)


def _explains(explained: ExplainedClaim, prediction: Prediction) -> bool:
    pairs = [[(pair.question, pair.answer) for pair in one.evidence] for one in (explained, prediction)]
    return explained.label == prediction.pred_label and pairs[0] == pairs[1]


def _check_claims(predictions: Sequence[Prediction], claims: Mapping[int, Claim], path: Path) -> None:
    for one in predictions:
        known = claims.get(one.claim_id)
        if known is not None and known.claim.split() != one.claim.split():
            raise InputError(f"claim {one.claim_id} has another text in the label file", path=path, field="claim")


def _findings(folder: RunFolder, explained: Mapping[int, Path]) -> dict[int, list[Finding]]:
    """Of each explanation that is shown and was checked; of other files none."""
    path = folder.file("flags.jsonl")
    manifest = read_manifest(path) if path else None
    checked = manifest.fingerprint.inputs.get("explanations_file") if manifest else None
    if path is None or checked is None:
        return {}
    same = {file for file in {*explained.values()} if sha256(file) == checked.sha256}
    found: dict[int, list[Finding]] = {claim_id: [] for claim_id, file in explained.items() if file in same}
    for one in read_records(path, Finding):
        if one.claim_id in found:
            found[one.claim_id].append(one)
    return found
