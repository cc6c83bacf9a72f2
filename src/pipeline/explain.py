"""Stage: explanations of verdicts by their evidence; each sentence has the numbers of the evidence that it cites."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.errors import InputError
from src.explanation.claims_file import read_claims_to_explain
from src.explanation.justified import JustifiedPredictions
from src.explanation.politihop import PUBLISHED, published_sample, read_politihop
from src.explanation.reasons import by_reasoning
from src.explanation.records import ExplainedClaim
from src.explanation.template import template
from src.explanation.text import explained
from src.explanation.writer import COT, ZERO_SHOT, Writer
from src.llm import Options, get_llm
from src.llm.flags import SCALE, EngineOptions, engine_of, llm_flag, model_file
from src.models.bert import classifier_files
from src.models.model_files import named_model_files
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job, run
from src.runner.outcome import Outcome
from src.runner.paths import existing_file
from src.runner.sharding import in_shard, input_file, refuse_shard
from src.settings import Flag, Positive, refuse_unread
from src.stance.reader import READER, load_stance_reader

STEP = "src.explanation.generate_explanations"
TEMPLATE, STANCE, REASONING = "template", "stance", "reasoning"
BY_READER = (STANCE, REASONING)
OF_MODELS = ("llm", "source_words", "max_words", "detailed", "dtype", "device", *SCALE)
BATCH = 8  # claims; shards that are cut at multiples of it give the same bytes as one run


class ExplainSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `explain_job`.

    `entailment` is the model of the methods that read the evidence; None: the default one.
    """

    claims_file: Annotated[
        Path | None,
        Flag(
            "predictions, or claims with label and evidence or source "
            "(default: data_store/dev_veracity_prediction.json)",
            "-i",
        ),
    ] = None
    politihop: Annotated[Path | None, Flag("PolitiHop's table of a split, in place of --claims_file")] = None
    politihop_sample: Annotated[
        int | None,
        Flag(
            "the published sample: name politihop_test.tsv; the other splits are in the same folder",
            choices=(PUBLISHED,),
        ),
    ] = None
    output: Annotated[Path, Flag("explanations, one claim a line", "-o", "--output_file")] = Path(
        "data_store/dev_explanations.json"
    )
    method: Annotated[str, Flag("who writes them", choices=(TEMPLATE, STANCE, REASONING, ZERO_SHOT, COT))] = TEMPLATE
    entailment: Annotated[
        Path | None, Flag(f"with {STANCE} and {REASONING}: the model that reads the evidence (default: {READER})")
    ] = None
    source_words: Annotated[
        Positive | None,
        Flag(
            "of the evidence, nearest to the claim, that models read (default: all; "
            "a claim for which the model has not enough context fails with a line that says so)"
        ),
    ] = None
    detailed: Annotated[
        bool,
        Flag(
            "ask for a detailed explanation, as the paper does, and keep all of it "
            "(default: one to three sentences, at most --max_words)"
        ),
    ] = False
    max_words: Annotated[Positive, Flag("of an explanation by a model, whole sentences")] = 80
    llm: Annotated[str | None, llm_flag()] = None
    engine: EngineOptions = Options()


def explain(settings: ExplainSettings, justified: JustifiedPredictions) -> int:
    """Explain the verdicts on the claims of a file, and write the predictions with their justifications.

    Return 0, or 1 if some claims failed. Raises InputError for bad input, OutputError when a file cannot be written.
    """
    if justified.predictions is not None and settings.politihop is not None:
        raise InputError("--predictions goes with --claims_file: PolitiHop has none")
    if justified.predictions is not None:
        refuse_shard(settings.range, "predictions")
    job = explain_job(settings)
    justified.check(job.output, job.inputs)
    code = run(job)
    if not settings.dry_run:
        justified.write(job.inputs.get("claims_file", job.output), job.output)
    return code


def explain_job(settings: ExplainSettings) -> Job[ExplainedClaim, ExplainedClaim]:
    """Return the job that explains a file of claims. Raises InputError for bad input."""
    _check(settings)
    if settings.method in BY_READER:
        settings = replace(settings, entailment=settings.entailment or READER)
    source = _source(settings)
    everyone = _read(settings, source)
    settings = in_shard(settings, everyone, source)
    inputs = {"claims_file" if settings.politihop is None else "politihop": source, **model_file(settings.llm)}
    if settings.entailment is not None:
        inputs |= classifier_files(settings.entailment, "entailment")
    return Job(
        step=STEP,
        settings=settings,
        claims=in_range(everyone, settings.range.start, settings.range.end, source),
        inputs=inputs,
        start=lambda: start_explaining(settings),
        without_result=lambda claim: claim,
        batch=BATCH,
        numbered=sorted(everyone, key=lambda claim: claim.claim_id),
        node_files=named_model_files(settings),
    )


def start_explaining(settings: ExplainSettings) -> Engine[ExplainedClaim, ExplainedClaim]:
    """Load the models and return the engine that explains claims.

    Raises InputError or MissingExtra when a model does not exist.
    """
    if settings.method == TEMPLATE:
        return Engine(_by_template)
    if settings.method in BY_READER:
        return _by_reader(settings)
    model = get_llm(settings.llm or "", engine_of(settings, settings.engine))
    most_words = None if settings.detailed else settings.max_words
    writer = Writer(model, settings.method, settings.source_words, most_words)
    return Engine(writer.write, model=model.info, deterministic=model.info.deterministic)


def _by_template(claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
    return [Outcome(explained(claim, template(claim))) for claim in claims]


def _by_reader(settings: ExplainSettings) -> Engine[ExplainedClaim, ExplainedClaim]:
    reader = load_stance_reader(settings.entailment or READER, settings.engine.dtype, settings.engine.device)

    def work(claims: Sequence[ExplainedClaim]) -> list[Outcome[ExplainedClaim]]:
        return [Outcome(by_reasoning(claim, claim.explanation, reader)) for claim in claims]

    return Engine(work, model=reader.info, deterministic=reader.info.deterministic)


def _check(settings: ExplainSettings) -> None:
    """Raise InputError if settings contradict each other or would have no effect."""
    method = settings.method
    if settings.politihop is not None and settings.claims_file is not None:
        raise InputError("--politihop goes without --claims_file")
    if settings.politihop_sample is not None and settings.politihop is None:
        raise InputError("--politihop_sample goes with --politihop FILE")
    if method not in BY_READER:
        refuse_unread(settings, ["entailment"], f"goes with --method {STANCE} and {REASONING}")
    if method == TEMPLATE:
        refuse_unread(settings, OF_MODELS, f"changes nothing with --method {TEMPLATE}: it needs no model")
    elif method in BY_READER:
        if settings.politihop is not None:
            raise InputError(f"--method {method} takes claims with evidence: PolitiHop has sources")
        unread = [name for name in OF_MODELS if name not in ("dtype", "device")]
        refuse_unread(settings, unread, f"changes nothing with --method {method}")
    elif settings.llm is None:
        raise InputError(f"--method {method} needs --llm")
    if settings.detailed:
        refuse_unread(settings, ["max_words"], "changes nothing with --detailed: no text is cut")


def _source(settings: ExplainSettings) -> Path:
    if settings.politihop is not None:
        return existing_file(settings.politihop, "the authors of PolitiHop")
    path = settings.claims_file or Path("data_store/dev_veracity_prediction.json")
    return input_file(path, "src.prediction.veracity_prediction", settings.range)


def _read(settings: ExplainSettings, source: Path) -> list[ExplainedClaim]:
    """Return the claims without the explanations of an earlier run; with `reasoning`, keep the model's reasoning.

    If an old explanation were kept, it would be written for a claim that fails in this run.
    """
    if settings.politihop is None:
        claims = read_claims_to_explain(source)
        return (
            claims if settings.method == REASONING else [replace(claim, explanation=None, cites=[]) for claim in claims]
        )
    return published_sample(source) if settings.politihop_sample else read_politihop(source)
