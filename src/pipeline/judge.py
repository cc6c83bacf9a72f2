"""Stage: predict the verdict on each claim from its evidence."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.errors import InputError
from src.llm import Options, get_llm
from src.llm.flags import SCALE, EngineOptions, engine_of, llm_flag, model_file
from src.models.model_files import named_model_files
from src.prediction.verdicts import (
    DEFAULT_LLM,
    LLM,
    OURS,
    PUBLISHED,
    VERDICT_HELP,
    VERDICT_MODELS,
    VERDICT_NAMES,
    Loading,
    chosen_verdict_model,
    has_levels,
    judge,
    llm_verdict_model,
    load_verdict_model,
    named_verdict_model,
    predicted,
    unasked,
    verdict_files,
)
from src.records import Evidence, Prediction
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.sharding import in_shard, input_file
from src.settings import Flag, refuse_unread
from src.store import read_by_claim

STEP = "src.prediction.veracity_prediction"
BATCH = 10  # claims; shards that are cut at multiples of it give the same bytes as one run


class JudgeSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `judge_job`. At most one of `best_checkpoint`, `verdict` and `llm` names the model."""

    claim_with_evidence_file: Annotated[Path, Flag("evidence of each claim", "-i")] = Path(
        "data_store/dev_top_3_rerank_qa.json"
    )
    output: Annotated[Path, Flag("predictions, one JSON list", "-o", "--output_file")] = Path(
        "data_store/dev_veracity_prediction.json"
    )
    best_checkpoint: Annotated[
        Path | None,
        Flag(
            "published .ckpt, converted folder or trained folder (default: the first that is there of "
            f"{PUBLISHED} and {OURS}; without them --llm {DEFAULT_LLM})",
            "-ckpt",
        ),
    ] = None
    verdict: Annotated[str | None, Flag(VERDICT_HELP, metavar="NAME|PATH", else_path=True, names=VERDICT_NAMES)] = None
    llm: Annotated[str | None, llm_flag()] = None
    engine: EngineOptions = Options()


def judge_job(settings: JudgeSettings) -> Job[Evidence, Prediction]:
    """Return the job that judges a file of evidence. Raises InputError for bad input."""
    source = input_file(settings.claim_with_evidence_file, "src.reranking.rerank_questions", settings.range)
    everyone = read_by_claim(source, Evidence)
    settings = in_shard(settings, everyone, source)
    claims = in_range(everyone, settings.range.start, settings.range.end, source)
    settings, notes = with_model(settings)
    if settings.llm is None:
        refuse_unread(settings, SCALE, "goes with --llm: no language model judges")
    inputs = {"claim_with_evidence_file": source, **model_file(settings.llm)}
    if settings.best_checkpoint is not None:
        inputs |= verdict_files(settings.best_checkpoint)
    return Job(
        step=STEP,
        settings=settings,
        claims=claims,
        inputs=inputs,
        start=partial(start_judging, settings, notes),
        without_result=partial(_without_result, settings.best_checkpoint),
        as_list=True,
        batch=BATCH,
        node_files=named_model_files(settings),
    )


def with_model(settings: JudgeSettings) -> tuple[JudgeSettings, list[str]]:
    """Return the settings with the checkpoint or language model filled in, and notes for the user.

    Raises InputError if two models are named, or one that does not exist.
    """
    named = {"best_checkpoint": settings.best_checkpoint, "verdict": settings.verdict}
    named |= {} if settings.verdict == LLM else {"llm": settings.llm}
    if len(given := [f"--{flag}" for flag, model in named.items() if model is not None]) > 1:
        raise InputError(f"{' and '.join(given[:2])} name two models; give one of them")
    notes: list[str] = []
    checkpoint, verdict = settings.best_checkpoint, settings.verdict
    if verdict is not None:
        checkpoint = named_verdict_model(verdict)
        verdict = verdict if verdict in (*VERDICT_MODELS, LLM) else None  # a path is not a setting
    elif not given:
        checkpoint, notes = chosen_verdict_model()
    llm = settings.llm or DEFAULT_LLM if checkpoint is None else settings.llm
    return replace(settings, best_checkpoint=checkpoint, verdict=verdict, llm=llm), notes


def start_judging(settings: JudgeSettings, notes: Sequence[str]) -> Engine[Evidence, Prediction]:
    """Load the verdict model and return the engine that judges claims. Raises InputError or MissingExtra."""
    if settings.best_checkpoint is not None:
        loading = Loading(settings.engine.dtype, settings.engine.device)
        model = load_verdict_model(settings.best_checkpoint, loading)
        return Engine(partial(judge, model), model=model.info, notes=notes, deterministic=model.info.deterministic)
    scorer = llm_verdict_model(get_llm(settings.llm or DEFAULT_LLM, engine_of(settings, settings.engine)))
    return Engine(
        partial(judge, scorer),
        scorer.info,
        notes,
        deterministic=scorer.info.deterministic,
        estimate=scorer.estimate,
    )


def _without_result(source: Path | None, claim: Evidence) -> Prediction:
    """Return the prediction for a claim on which the model failed; `source` is its file, None for a language model."""
    return predicted(claim, unasked(has_levels=source is not None and has_levels(source)))
