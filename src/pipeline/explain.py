"""Stage: the justification of each verdict by its evidence; each sentence has the numbers of the evidence it cites."""

import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.politihop import PUBLISHED, published_sample, read_politihop
from src.explanation.reasons import by_reasoning
from src.explanation.records import ExplainedClaim
from src.explanation.template import template
from src.explanation.text import explained
from src.explanation.writer import COT, ZERO_SHOT, Writer
from src.llm import Options, get_llm
from src.llm.flags import SCALE, EngineOptions, engine_of, llm_flag, model_file
from src.models.bert import classifier_files
from src.records import Prediction
from src.runner.claim_range import ClaimRange, Claims, in_range
from src.runner.fingerprint import fingerprint
from src.runner.job import Engine, Job, run
from src.runner.manifest import new_manifest
from src.runner.outcome import Outcome
from src.runner.output import read_failures, write_output
from src.runner.paths import check_output, check_replaced, existing_file
from src.settings import Flag, JobSettings, Positive, refuse_unread
from src.stance.reader import READER, load_stance_reader
from src.store import encode_list, read_by_claim

STEP = "src.explanation.generate_explanations"
STEP_OF_PREDICTIONS = "src.explanation --predictions"
TEMPLATE, STANCE, REASONING = "template", "stance", "reasoning"
METHODS = (TEMPLATE, STANCE, REASONING, ZERO_SHOT, COT)
OF_MODELS = ("llm", "source_words", "max_words", "detailed", "dtype", "device", *SCALE)
PREDICTIONS = Path("data_store/dev_veracity_prediction.json")
BATCH = 8  # claims; shards that are cut at multiples of it give the same bytes as one run


def _sample(text: str) -> int:
    """Return the size of the published sample. Raises ValueError for another one."""
    if text != str(PUBLISHED):
        raise ValueError(f"{text} is not {PUBLISHED}, the claims of the published sample")
    return PUBLISHED


class ExplainSettings(JobSettings, frozen=True, kw_only=True):
    """Settings of the stage. The claims are those of `claims_file` or of `politihop`, a table of PolitiHop."""

    claims_file: Annotated[
        Path | None, Flag(f"predictions, or claims with label and evidence or source (default: {PREDICTIONS})", "-i")
    ] = None
    politihop: Annotated[Path | None, Flag("PolitiHop's table of a split, in place of --claims_file")] = None
    politihop_sample: Annotated[
        int | None,
        Flag(
            "the published sample: name politihop_test.tsv; the other splits are in the same folder",
            metavar=str(PUBLISHED),
            parse=_sample,
        ),
    ] = None
    output: Annotated[Path, Flag("explanations, one claim a line", "-o", "--output_file")] = Path(
        "data_store/dev_explanations.json"
    )
    method: Annotated[str, Flag("who writes them", choices=METHODS)] = TEMPLATE
    entailment: Annotated[
        Path | None, Flag(f"with {STANCE} and {REASONING}: the model that reads it (default: {READER})")
    ] = None
    source_words: Annotated[
        Positive | None,
        Flag(
            "of the evidence, nearest to the claim, that models read (default: all; a claim for which the model has "
            "not enough context fails with a line that says so)"
        ),
    ] = None
    detailed: Annotated[
        bool,
        Flag(
            "ask for a detailed explanation, as the paper does, and keep all of it (default: one to three sentences, "
            "at most --max_words)"
        ),
    ] = False
    max_words: Annotated[Positive, Flag("of an explanation by a model, whole sentences")] = 80
    predictions: Annotated[Path | None, Flag("write the predictions with their justification to this file, too")] = None
    llm: Annotated[str | None, llm_flag()] = None
    engine: EngineOptions = Options()
    range: Claims = ClaimRange()

    @property
    def reads_stances(self) -> bool:
        return self.method in (STANCE, REASONING)


def explain(settings: ExplainSettings) -> int:
    """Explain the claims of a file; return 0, or 1 if some failed.

    `predictions` changes no explanation and is no part of the run's fingerprint. Raises InputError for bad input,
    OutputError when a file cannot be written.
    """
    path = settings.predictions
    if path is not None and settings.politihop is not None:
        raise InputError("--predictions goes with --claims_file: PolitiHop has none")
    job, source = explain_job(replace(settings, predictions=None))
    if path is not None:
        read_by_claim(source, Prediction)
        check_output(path, {"output_file": settings.output, **job.inputs}, "file of predictions")
        check_replaced(path, STEP_OF_PREDICTIONS, "file of predictions")
    code = run(job)
    if path is not None and not settings.dry_run:
        write_justified(path, source, settings.output)
    return code


def explain_job(settings: ExplainSettings) -> tuple[Job[ExplainedClaim, ExplainedClaim], Path]:
    """Return the work over a file of claims, and the file. Raises InputError for bad input."""
    _check(settings)
    if settings.reads_stances:
        settings = replace(settings, entailment=settings.entailment or READER)
    source = _source(settings)
    everyone = _read(settings, source)
    inputs = {"claims_file" if settings.politihop is None else "politihop": source, **model_file(settings.llm)}
    if settings.entailment is not None:
        inputs |= classifier_files(settings.entailment, "entailment")
    job = Job(
        step=STEP,
        settings=settings,
        claims=in_range(everyone, settings.range.start, settings.range.end, source),
        inputs=inputs,
        start=partial(start_explaining, settings),
        without_result=lambda claim: claim,
        batch=BATCH,
        numbered=sorted(everyone, key=lambda claim: claim.claim_id),
    )
    return job, source


def _check(settings: ExplainSettings) -> None:
    """Raise InputError if settings contradict each other or would have no effect."""
    method = settings.method
    if settings.politihop is not None and settings.claims_file is not None:
        raise InputError("--politihop goes without --claims_file")
    if settings.politihop_sample is not None and settings.politihop is None:
        raise InputError("--politihop_sample goes with --politihop FILE")
    if not settings.reads_stances:
        refuse_unread(settings, ["entailment"], f"goes with --method {STANCE} and {REASONING}")
    if method == TEMPLATE:
        refuse_unread(settings, OF_MODELS, f"changes nothing with --method {TEMPLATE}: it needs no model")
    elif settings.reads_stances:
        if settings.politihop is not None:
            raise InputError(f"--method {method} takes claims with evidence: PolitiHop has sources")
        unread = [name for name in OF_MODELS if name not in ("dtype", "device")]
        refuse_unread(settings, unread, f"changes nothing with --method {method}")
    elif settings.llm is None:
        raise InputError(f"--method {method} takes --llm")
    if settings.detailed:
        refuse_unread(settings, ["max_words"], "changes nothing with --detailed: no text is cut")


def _source(settings: ExplainSettings) -> Path:
    if settings.politihop is not None:
        return existing_file(settings.politihop, "the authors of PolitiHop")
    return existing_file(settings.claims_file or PREDICTIONS, "src.prediction.veracity_prediction")


def _read(settings: ExplainSettings, source: Path) -> list[ExplainedClaim]:
    """Return the claims without the explanations of an earlier run; with `reasoning`, keep the model's reasoning.

    An old explanation would otherwise be written for a claim that fails in this run.
    """
    if settings.politihop is None:
        found = read_claims_to_explain(source)
        if settings.method == REASONING:
            return found
        return [replace(one, explanation=None, cites=[]) for one in found]
    return published_sample(source) if settings.politihop_sample else read_politihop(source)


def start_explaining(settings: ExplainSettings) -> Engine[ExplainedClaim, ExplainedClaim]:
    """Load the model, if the method has one, and return the function that explains."""
    if settings.method == TEMPLATE:
        return Engine(_by_template)
    if settings.reads_stances:
        return _by_reader(settings)
    model = get_llm(settings.llm or "", engine_of(settings, settings.engine))
    most = None if settings.detailed else settings.max_words
    writer = Writer(model, settings.method, settings.source_words, most)
    return Engine(writer.write, model=model.info, deterministic=model.info.deterministic)


def _by_template(claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
    return [Outcome(explained(claim, template(claim))) for claim in claims]


def _by_reader(settings: ExplainSettings) -> Engine[ExplainedClaim, ExplainedClaim]:
    reader = load_stance_reader(settings.entailment or READER, settings.engine.dtype, settings.engine.device)

    def work(claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        return [Outcome(by_reasoning(claim, claim.explanation, reader)) for claim in claims]

    return Engine(work, model=reader.info, deterministic=reader.info.deterministic)


class JustifiedSettings(msgspec.Struct, frozen=True):
    """What the manifest of the predictions with justifications says."""

    predictions: Annotated[str, Flag("the file")]


def write_justified(path: Path, predictions: Path, explanations: Path) -> None:
    """Write the predictions of the explained claims, in their order, with each explanation as justification.

    Raises InputError if an input cannot be read, OutputError if the file cannot be written.
    """
    began = time.perf_counter()
    texts = {one.claim_id: one.explanation for one in read_by_claim(explanations, ExplainedClaim)}
    found = [one for one in read_by_claim(predictions, Prediction) if one.claim_id in texts]
    records = [replace(one, justification=texts[one.claim_id] or None) for one in found]
    settings = JustifiedSettings(str(path))
    inputs = {"claims_file": predictions, "explanations": explanations}
    made = fingerprint(STEP_OF_PREDICTIONS, settings, inputs, [one.claim_id for one in records])
    manifest = new_manifest(made, settings, seconds={"wall": time.perf_counter() - began})
    write_output(path, encode_list(records), read_failures(explanations), manifest)
