"""Reader of a run's folder: the predictions, and the outputs, costs and failures of the other steps."""

from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple, Protocol

import msgspec

from src.errors import InputError
from src.explanation.records import ExplainedClaim, Finding
from src.programs.program_files import read_traces
from src.programs.records import ClaimTrace
from src.records import Claim, Prediction, QAPair, RankedSentences
from src.reranking.top_file import read_ranked
from src.runner.manifest import Manifest, read_manifest
from src.runner.output import Failure, read_failures
from src.store import read_by_claim, read_claims, read_records, sha256

JUSTIFIED = "justified_prediction.json"
PREDICTIONS = ("veracity_prediction.json", JUSTIFIED)  # the first that exists
MADE_BY = "bash script/pipeline.sh SPLIT START END, or src.programs.execute_programs --predictions"
EXPLANATIONS = ("explanations.json", "debates.json")  # a debated explanation replaces the earlier one
# Outputs in the order of the pipeline, by what the step does.
STEPS = {
    "retrieval": "top_k_sentences.json",
    "questions": "top_k_qa.json",
    "reranking": "top_3_rerank_qa.json",
    "programs": "programs.json",
    "execution": "program_trace.json",
    "verdicts": "veracity_prediction.json",
    "submission": "veracity_prediction_for_submission.json",
    "scores": "scores.json",
    "judge": "ev2r.json",
    "explanations": "explanations.json",
    "debates": "debates.json",
    "checks": "flags.json",
}
FORMER = {"flags.json": "flags.jsonl"}  # names of earlier versions
TOKENS = ("prompt_tokens", "new_tokens")


class RunFolder:
    """Folder with the outputs of a run, whose names begin with the name of the split: `dev_programs.json`.

    Without `split`, the folder must have predictions of one split only. Raises InputError when the folder, the split or
    the predictions are missing.

    `path`: path of the folder.
    `split`: name of the split.
    `predictions`: path of the prediction file.
    """

    def __init__(self, path: Path, split: str = "") -> None:
        if not path.is_dir():
            raise InputError("is no folder; name the one that a run left its files in", path=path)
        self.path = path
        self.split = split or _only_split(path)
        self.predictions = self._predictions()

    def file(self, name: str) -> Path | None:
        """Return the path of `SPLIT_name`, or of its former name; None if neither exists."""
        paths = (self.path / f"{self.split}_{one}" for one in (name, FORMER.get(name, name)))
        return next(filter(Path.is_file, paths), None)

    def _predictions(self) -> Path:
        path = next((file for name in PREDICTIONS if (file := self.file(name))), None)
        if path is None:
            name = f"{self.split}_{PREDICTIONS[0]}"
            raise InputError(f"holds no {name}; it is written by: {MADE_BY}", path=self.path)
        return path


def _only_split(path: Path) -> str:
    """Return the name of the split whose predictions are in the folder. Raises InputError for none or several."""
    ends = tuple(f"_{name}" for name in PREDICTIONS)
    names = sorted(file.name for file in path.iterdir() if file.is_file())
    splits = {name.removesuffix(end) for name in names for end in ends if name.endswith(end)}
    if len(splits) == 1:
        return splits.pop()
    if not splits:
        raise InputError(f"holds no SPLIT_{PREDICTIONS[0]}; it is written by: {MADE_BY}", path=path)
    raise InputError(f"holds runs of {', '.join(sorted(splits))}; --split names one", path=path)


class NamedFolder(NamedTuple):
    """Name and folder of a run; pages show the name."""

    name: str
    path: Path


class Labels(NamedTuple):
    """The claims of a label file and the file's path; empty and None if there is no file."""

    claims: Sequence[Claim]
    path: Path | None


def named_folder(text: str) -> NamedFolder:
    """Return the name and the folder of a run, given as `NAME=FOLDER` or `FOLDER`; a run without name is called as its
    folder.

    Raises InputError if name or folder is empty in `NAME=FOLDER`.
    """
    name, equals, folder = text.partition("=")
    if not equals or Path(text).is_dir():
        return NamedFolder(Path(text).resolve().name, Path(text))
    if not name or not folder:
        raise InputError(f"{text!r} is neither NAME=FOLDER nor a folder")
    return NamedFolder(name, Path(folder))


def named_folders(texts: Sequence[str]) -> list[NamedFolder]:
    """Return the names and paths of runs. Raises InputError as `named_folder`, and when two runs have the same name."""
    folders = [named_folder(text) for text in texts]
    names = [one.name for one in folders]
    if double := next((name for name in names if names.count(name) > 1), None):
        raise InputError(f"two runs are called {double!r}; NAME=FOLDER names one")
    return folders


def labels_of(given: Path | None, folder: RunFolder) -> Labels:
    """Return the labels in the given file, else in data/SPLIT.json if it exists. Raises InputError as `read_claims`."""
    path = given or Path("data") / f"{folder.split}.json"
    return Labels(read_claims(path), path) if given or path.is_file() else Labels((), None)


class StepMade(msgspec.Struct, frozen=True):
    """A step of a run that was executed.

    `name`: what the step does, a key of `STEPS`.
    `manifest`: manifest of the step's output, with settings, counts and seconds.
    `failures`: claims that failed in this step, without those of earlier steps.
    """

    name: str
    manifest: Manifest
    failures: Sequence[Failure]

    @property
    def seconds(self) -> float:
        """Seconds of work over all starts; if they are not recorded, wall time of the last start."""
        return self.manifest.seconds.get("work", self.manifest.seconds.get("wall", 0.0))

    @property
    def tokens(self) -> int:
        """Tokens that language models read and wrote."""
        return sum(self.manifest.counts.get(name, 0) for name in TOKENS)


def steps_made(folder: RunFolder) -> list[StepMade]:
    """Return the steps of a run that have a readable manifest. Raises InputError for a damaged failures file."""
    files = {name: folder.file(file) for name, file in STEPS.items()}
    made = [(name, file, read_manifest(file)) for name, file in files.items() if file is not None]
    return [
        StepMade(name, manifest, [one for one in read_failures(file) if one.step == manifest.fingerprint.step])
        for name, file, manifest in made
        if manifest is not None
    ]


class _HasClaim(Protocol):
    """A record that has the id and the text of a claim."""

    @property
    def claim_id(self) -> int: ...

    @property
    def claim(self) -> str: ...


class Run(msgspec.Struct, frozen=True):
    """Outputs of a run, as the report shows them. Only `predictions` is never empty.

    Mappings are by claim_id unless stated otherwise.

    `name`: name of the run on the pages.
    `folder`: folder of the run's outputs.
    `predictions`: predictions, ordered by claim_id.
    `claims`: claims of the label file.
    `sentences`: retrieved sentences.
    `traces`: executed programs.
    `explanations`: explanations of the predictions.
    `findings`: findings in these explanations; an empty list if the checks found nothing.
    `outdated`: number of explanations, by file name, that are not shown because they explain another verdict or other
        evidence.
    `steps`: executed steps, in the order of the pipeline.
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
        """True if every predicted claim has a label."""
        return all(
            one.claim_id in self.claims and self.claims[one.claim_id].label is not None for one in self.predictions
        )

    def step_of(self, step: str) -> str:
        """Return the module that wrote the output of `step`, a key of `STEPS`; "" if the output has no manifest."""
        return next((one.manifest.fingerprint.step for one in self.steps if one.name == step), "")

    def of_claims(self, ids: Set[int]) -> "Run":
        """Return the run with only the predictions, explanations and findings of the claims in `ids`."""
        return msgspec.structs.replace(
            self,
            predictions=[one for one in self.predictions if one.claim_id in ids],
            explanations={number: one for number, one in self.explanations.items() if number in ids},
            findings={number: listed for number, listed in self.findings.items() if number in ids},
        )


def read_run(folder: RunFolder, name: str, claims: Sequence[Claim] = ()) -> Run:
    """Return the run in a folder; `claims` are those of the label file.

    Raises InputError (file, line, field) for bad files, and when a claim's text differs between files.
    """
    predictions: Sequence[Prediction] = sorted(
        read_by_claim(folder.predictions, Prediction), key=lambda one: one.claim_id
    )
    if not predictions:
        raise InputError("holds no predictions", path=folder.predictions)
    by_id = {claim.claim_id: claim for claim in claims}
    _check_claims(predictions, by_id, folder.predictions, "the label file")
    predicted = {one.claim_id: one for one in predictions}
    ranked, traces = folder.file("top_k_sentences.json"), folder.file("program_trace.json")
    sentences, traced = read_ranked(ranked) if ranked else [], read_traces(traces) if traces else []
    for path, records in ((ranked, sentences), (traces, traced)):
        if path:
            _check_claims(records, predicted, path, "the predictions")
    files = [path for name in EXPLANATIONS if (path := folder.file(name))]
    explained = {path: _explained(path, predictions) for path in files}
    shown = {one.claim_id: (one, path) for path, (current, _) in explained.items() for one in current}
    outdated = {path.name: left_out for path, (_, left_out) in explained.items() if left_out}
    if (justified := folder.file(JUSTIFIED)) and justified != folder.predictions:
        predictions, left_out = _justified(justified, predictions)
        outdated |= {justified.name: left_out} if left_out else {}
    return Run(
        name=name,
        folder=folder.path,
        predictions=predictions,
        claims=by_id,
        sentences={one.claim_id: one for one in sentences},
        traces={one.claim_id: one for one in traced},
        explanations={claim_id: one for claim_id, (one, _) in shown.items()},
        findings=_findings(folder, {claim_id: path for claim_id, (one, path) in shown.items() if one.explanation}),
        outdated=outdated,
        steps=steps_made(folder),
    )


def _explained(path: Path, predictions: Sequence[Prediction]) -> tuple[list[ExplainedClaim], int]:
    """Return the explanations in a file that are up to date, and the number of those that are not.

    An explanation is up to date if it has the verdict and the evidence of the claim's prediction. Explanations of other
    claims do not count.
    """
    known = {one.claim_id: one for one in predictions}
    ours = [one for one in read_by_claim(path, ExplainedClaim) if one.claim_id in known]
    current = [one for one in ours if _is_of(known[one.claim_id], one.label, one.evidence)]
    return current, len(ours) - len(current)


def _justified(path: Path, predictions: Sequence[Prediction]) -> tuple[list[Prediction], int]:
    """Return the predictions, with the justifications in a file that are up to date, and the number of those that are
    not.

    A justification is up to date if the file has the same verdict and evidence for the claim.
    """
    justified = {one.claim_id: one for one in read_by_claim(path, Prediction)}
    matching = [one for one in predictions if one.claim_id in justified]
    justifications = {
        one.claim_id: justified[one.claim_id].justification
        for one in matching
        if _is_of(one, justified[one.claim_id].pred_label, justified[one.claim_id].evidence)
    }
    named = [msgspec.structs.replace(one, justification=justifications.get(one.claim_id)) for one in predictions]
    return named, len(matching) - len(justifications)


def _is_of(prediction: Prediction, label: str, evidence: Sequence[QAPair]) -> bool:
    """Return True if label and evidence are the same as in the prediction."""
    pairs = [[(pair.question, pair.answer) for pair in one] for one in (prediction.evidence, evidence)]
    return label == prediction.pred_label and pairs[0] == pairs[1]


def _check_claims(records: Sequence[_HasClaim], known: Mapping[int, _HasClaim], path: Path, where: str) -> None:
    """Raise InputError if a claim's text in `records`, read from `path`, is not the one in `known`.

    `where` says in the message what `known` was read from.
    """
    for one in records:
        other = known.get(one.claim_id)
        if other is not None and other.claim.split() != one.claim.split():
            raise InputError(f"claim {one.claim_id} has another text in {where}", path=path, field="claim")


def _findings(folder: RunFolder, explained: Mapping[int, Path]) -> dict[int, list[Finding]]:
    """Return the findings of the checks in each explanation, by claim_id.

    `explained` has the file of each claim's explanation. A claim is left out if the checks read another file.
    """
    path = folder.file("flags.json")
    manifest = read_manifest(path) if path else None
    checked = manifest.fingerprint.inputs.get("explanations_file") if manifest else None
    if path is None or checked is None:
        return {}
    same = {file for file in {*explained.values()} if sha256(file) == checked.sha256}
    findings: dict[int, list[Finding]] = {claim_id: [] for claim_id, file in explained.items() if file in same}
    for one in read_records(path, Finding):
        if one.claim_id in findings:
            findings[one.claim_id].append(one)
    return findings


def origin_of(labels: Labels, run: Run) -> str:
    """Return as text where the labels of a run are from, or why it has none."""
    if labels.path is None:
        return "none given (--label_file names a file)"
    known = {one.claim_id for one in labels.claims if one.label is not None}
    without = sum(one.claim_id not in known for one in run.predictions)
    return f"{labels.path.name}, without {without} of this run's claims" if without else labels.path.name
