"""Few-shot baseline: the verdicts of a fine-tuned encoder on claims as a whole, and the spread of macro-F1 over seeds.

A verdict is true if its probability is above one half, else false; there is no third verdict. The encoder is trained
once a seed, each time on other examples. ProgramFC, appendix A.1: pre-trained encoders are trained on 20 examples, and
the mean of 10 seeds is reported.

Limitations: the training itself is in `src/training/few_shot`.
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np

from src.claims import LabelledClaim
from src.errors import InputError
from src.evaluation.bootstrap import once
from src.evaluation.tables import table
from src.llm.protocol import ModelInfo
from src.models.evidence_rows import Input
from src.programs.answerers.evidence import EvidenceSource, Passages
from src.programs.baselines.evidence import evidence_of
from src.programs.program_files import read_traces
from src.programs.records import ClaimTrace
from src.programs.scoring.error_classes import by_hops
from src.programs.scoring.tables import READING, baseline_lines, percent, spread_of
from src.programs.scoring.two_labels import SHOTS, Baselines, Spread, baselines, guesses, macro_f1, supported
from src.programs.whole_claim import trace_of
from src.records import Value
from src.runner.console import how_many, say
from src.runner.engine import Engine
from src.runner.estimate import Estimate, time_claims
from src.runner.fingerprint import fingerprint
from src.runner.manifest import new_manifest, read_manifest, upstream_failures
from src.runner.outcome import Outcome
from src.runner.output import write_output
from src.runner.paths import check_output, check_replaced
from src.settings import StepSettings


class GroupSpread(msgspec.Struct, frozen=True):
    """Scores of a group of claims over the seeds.

    `claims`: number of claims.
    `supports`: number of claims with the label `supports`.
    `macro_f1`: mean and standard deviation of macro-F1 over the seeds, 0 to 1.
    `seeds`: macro-F1 of each seed, 0 to 1.
    `baselines`: scores of the trivial baselines.
    """

    group: str
    claims: int
    supports: int
    macro_f1: Spread
    seeds: list[float]
    baselines: Baselines = msgspec.field(name="floors")


class Summary(msgspec.Struct, frozen=True):
    """Summary of the trainings of all seeds, as it is written to the summary file.

    `encoder`: the encoder that was trained.
    `setting`: setting of the evidence, gold or open.
    `examples`: number of examples per training.
    `seeds`: the seeds.
    `scores`: scores of each group of claims.
    `recipe`: the settings of the training; empty in older summaries.
    `cut`: number of claims that were longer than the encoder's input; None in older summaries.
    """

    encoder: str
    setting: str
    examples: int
    seeds: list[int]
    scores: list[GroupSpread]
    recipe: dict[str, str | int | float] = {}
    cut: int | None = None


def over_seeds(
    golds: Sequence[LabelledClaim], traces: Sequence[Sequence[ClaimTrace]], tune: Sequence[LabelledClaim], seed: int
) -> list[GroupSpread]:
    """Return the scores over the seeds for each group of claims: by number of hops, and all claims last.

    `traces[s][n]` must be the trace of `golds[n]` with seed s. The lexical baseline is fitted on samples of `tune`,
    drawn with `seed`; it is left out if `tune` has fewer than `SHOTS` claims.
    """
    novelty = guesses(golds, tune, seed) if len(tune) >= SHOTS else []
    gold, predicted = supported(one.value for one in golds), [supported(one.value for one in some) for some in traces]
    groups = []
    for group, places in by_hops(golds).items():
        scores = [once(macro_f1(gold[places], one[places]), len(places)) for one in predicted]
        spread = Spread(float(np.mean(scores)), float(np.std(scores)))
        beside = baselines([golds[at] for at in places], [one[places] for one in novelty])
        groups.append(GroupSpread(group, len(places), int(gold[places].sum()), spread, scores, beside))
    return groups


def lines(scores: Sequence[GroupSpread]) -> list[str]:
    """Return the scores as lines of a text table, in per cent."""
    rows = [["group", "claims", "macro-F1", "lowest", "highest"]]
    for one in scores:
        ends = [percent(min(one.seeds)), percent(max(one.seeds))]
        rows.append([one.group, str(one.claims), spread_of(one.macro_f1), *ends])
    heading = f"Mean and standard deviation over {len(scores[0].seeds)} seeds. {READING}"
    return [heading, *table(rows), "", *baseline_lines(scores)]


def trace_file(folder: Path, seed: int) -> Path:
    return folder / f"seed_{seed}.json"


def check_summary(step: str, path: Path, folder: Path, inputs: Mapping[str, Path]) -> None:
    """Check that the summary can be written to `path`; `folder` has the files of the seeds.

    Raises InputError when an existing file would be lost, and OutputError when the summary cannot be written.
    """
    if path.resolve().parent == folder.resolve() and path.name.startswith("seed_"):
        raise InputError("such a name is that of a seed's files; give the summary another one", path=path)
    check_output(path, inputs, "summary")
    check_replaced(path, step, "summary")


def summarise(
    step: str, settings: StepSettings, blank: Summary, path: Path, inputs: Mapping[str, Path],
    traces: Mapping[str, Path], claims: Sequence[LabelledClaim], tune: Sequence[LabelledClaim], model: object,
    began: float,
) -> None:  # fmt: skip
    """Print the scores of all seeds, and write them to the summary file.

    `step`: name of the step, for the manifest.
    `blank`: the summary without scores.
    `path`: where the summary is written.
    `inputs`: the input files, by the names of their settings.
    `traces`: the file of each seed's verdicts, by name.
    `tune`: claims on which the lexical baseline is fitted.
    `model`: the manifest's entry for the encoder.
    `began`: the start time, from `perf_counter`.
    """
    scores = over_seeds(claims, [read_traces(one) for one in traces.values()], tune, blank.seeds[0])
    say("\n".join(lines(scores)), quiet=settings.quiet)
    cut = max(_cut(one) for one in traces.values())
    if cut:
        longer = f"{cut} of {len(claims)} claims are longer than the {blank.recipe['max_length']} word pieces"
        say(f"{longer} that are read, and were cut", quiet=settings.quiet)
    made = fingerprint(step, settings, {**inputs, **traces}, [one.claim_id for one in claims])
    seconds = {"wall": time.perf_counter() - began}
    manifest = new_manifest(made, settings, seconds=seconds, notes=upstream_failures(traces.values()), model=model)
    summary = msgspec.structs.replace(blank, scores=scores, cut=cut)
    write_output(path, [msgspec.json.format(msgspec.json.encode(summary)) + b"\n"], [], manifest)
    say(f"{step.rpartition('.')[2]}: {how_many(len(blank.seeds), 'seed')} -> {path}", quiet=settings.quiet)


def _cut(traces: Path) -> int:
    """Return how many claims (with their evidence) were cut to the length of the encoder's input.

    The number is read from the manifest of a file of traces; it is 0 without a manifest.
    """
    manifest = read_manifest(traces)
    return manifest.counts.get(CUT, 0) if manifest is not None else 0


CUT = "cut"  # name of a count: claims that are longer than the encoder's input


class Learned(Protocol):
    """A fine-tuned encoder.

    `info`: the manifest's entry for the model.
    `seconds`: duration of the training.
    `probabilities`: returns for each input the probability that the claim is true.
    """

    @property
    def info(self) -> ModelInfo: ...

    @property
    def seconds(self) -> float: ...

    def probabilities(self, inputs: Sequence[Input], /) -> list[float]: ...

    def cut(self, inputs: Sequence[Input], /) -> list[bool]:
        """Return for each input True if it is longer than the encoder can read."""
        ...


def as_input(claim: LabelledClaim, evidence: Passages) -> Input:
    return claim.claim, tuple((one.title, one.sentence) for one in evidence)


def learned_engine(learned: Learned, source: EvidenceSource) -> Engine[LabelledClaim, ClaimTrace]:
    """Return the engine with which a job runs a fine-tuned encoder; its estimate of the time includes the training."""

    def work(batch: Sequence[LabelledClaim]) -> list[Outcome[ClaimTrace]]:
        return verdicts(batch, source, learned)

    def estimate(claims: Sequence[LabelledClaim]) -> Estimate:
        measured = time_claims(claims, work, msgspec.json.encode)
        return msgspec.structs.replace(measured, seconds=measured.seconds + learned.seconds)

    return Engine(work, model=learned.info, deterministic=learned.info.deterministic, estimate=estimate)


def verdicts(
    claims: Sequence[LabelledClaim], source: EvidenceSource, learned: Learned
) -> list[Outcome[ClaimTrace]]:  # fmt: skip
    """Return the verdict of a trained encoder on each claim, in order. Raises ModelError when the model fails."""
    evidence = evidence_of(claims, source)
    inputs = [as_input(*one) for one in zip(claims, evidence, strict=True)]
    true, cut = learned.probabilities(inputs), learned.cut(inputs)
    return [
        _outcome(claim, passages, probability, {CUT: int(is_cut)})
        for claim, passages, probability, is_cut in zip(claims, evidence, true, cut, strict=True)
    ]


def _outcome(claim: LabelledClaim, evidence: Passages, true: float, counts: Mapping[str, int]) -> Outcome[ClaimTrace]:
    value, confidence = (Value.TRUE, true) if true > 0.5 else (Value.FALSE, 1 - true)
    trace = trace_of(claim.claim_id, claim.claim, value, confidence, evidence, 1)
    return Outcome(trace, {"model_calls": 1, "without_evidence": int(not evidence), **counts})
