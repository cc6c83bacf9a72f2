"""Costs and failures of a run's steps, from the manifests and failures beside their outputs."""

from collections.abc import Sequence

import msgspec

from src.report.run.folder import RunFolder
from src.runner.manifest import Manifest, read_manifest
from src.runner.output import Failure, read_failures

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
    "explanations": "explanations.json",
    "debates": "debates.json",
    "checks": "flags.jsonl",
}
TOKENS = ("prompt_tokens", "new_tokens")


class StepMade(msgspec.Struct, frozen=True):
    """One step of a run; `failures` are those of this step, without those of earlier steps."""

    name: str
    manifest: Manifest
    failures: Sequence[Failure]

    @property
    def seconds(self) -> float:
        """Seconds of work over all starts; where work is not recorded, wall time of the last start."""
        return self.manifest.seconds.get("work", self.manifest.seconds.get("wall", 0.0))

    @property
    def tokens(self) -> int:
        """Tokens that language models read and wrote."""
        return sum(self.manifest.counts.get(name, 0) for name in TOKENS)


def steps_made(folder: RunFolder) -> list[StepMade]:
    """Return the steps with a readable manifest. Raises InputError for a damaged failures file."""
    files = {name: folder.file(file) for name, file in STEPS.items()}
    made = [(name, file, read_manifest(file)) for name, file in files.items() if file is not None]
    return [
        StepMade(name, manifest, [one for one in read_failures(file) if one.step == manifest.fingerprint.step])
        for name, file, manifest in made
        if manifest is not None
    ]
