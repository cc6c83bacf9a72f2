"""Stage: one call to a language model for each claim: evidence, verdict and justification from numbered sources."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.errors import InputError
from src.llm import Options, check_options, get_llm
from src.llm.adapter import CONFIG, WEIGHTS
from src.llm.at_once import requests_at_once
from src.llm.flags import EngineOptions, engine_of, llm_flag, model_file
from src.llm.protocol import SCHEMA
from src.models.model_files import named_model_files
from src.one_call.adapter import check_adapter
from src.one_call.caller import LEFT_OUT, ROOM, OneCall, without_verdict
from src.one_call.examples import ClaimExamples
from src.one_call.prompt import EvidenceForm
from src.one_call.sources import ClaimSources, with_sources
from src.one_call.verdict import OF_CALLS, Calibration, check_numbers
from src.records import Claim, Prediction
from src.reranking.top_file import read_ranked
from src.runner.claim_range import ClaimJobSettings, in_range
from src.runner.console import how_many
from src.runner.engine import Engine
from src.runner.job import Job
from src.runner.prices import Prices
from src.runner.sharding import in_shard, input_file
from src.settings import AboveZero, Flag, Group, Natural, Positive, refuse_unread
from src.store import read_claims, read_json

STEP = "src.prediction.one_call"
SOURCE_TOKENS, EXAMPLE_TOKENS = 150, 220  # of a passage and an example in a prompt, about


class OneCallSettings(ClaimJobSettings, frozen=True, kw_only=True):
    """Settings of `one_call_job`."""

    top_k_sentences: Annotated[Path, Flag("ranked passages or sentences of each claim", "-i", "--top_k_sentences")] = (
        Path("data_store/dev_top_k_sentences.json")
    )
    claim_file: Annotated[Path, Flag("claims, for speaker and date", "-c", "--claim_file")] = Path("data/dev.json")
    output: Annotated[Path, Flag("predictions, one JSON list", "-o", "--output_file")] = Path(
        "data_store/dev_veracity_prediction.json"
    )
    reference_corpus: Annotated[Path, Flag("claims with gold pairs, for examples")] = Path("data/train.json")
    sources: Annotated[Positive, Flag("sources that the model is shown")] = 10
    top_n: Annotated[Positive, Flag("pairs of question and answer at most")] = 10
    num_examples: Annotated[Natural, Flag("examples that the model is shown, the claims most like this one")] = 10
    evidence: Annotated[
        EvidenceForm, Flag("answers as in AVeriTeC, or statements that are clear without their question, as in FEVER-9")
    ] = EvidenceForm.PAIRS
    samples: Annotated[Positive, Flag("replies for each claim; several are drawn, and their ratings averaged")] = 1
    temperature: Annotated[AboveZero, Flag("of the samples, with --samples")] = 0.7
    max_new_tokens: Annotated[Positive, Flag("tokens of a reply at most")] = 2_000
    calibration: Annotated[Path | None, Flag("file of src.training.calibrate_llm, for levels of the verdicts")] = None
    llm: Annotated[str, llm_flag()] = "qwen2.5-coder-1.5b"
    adapter: Annotated[Path | None, Flag("folder of src.training.train_one_call, made on the model")] = None
    engine: EngineOptions = Options()
    prices: Annotated[Prices, Group("cost of the model's tokens")] = Prices()


def one_call_job(settings: OneCallSettings) -> Job[ClaimSources, Prediction]:
    """Return the job that checks a file of ranked passages. Raises InputError for bad input."""
    check_fitted(settings)
    if settings.samples == 1:
        refuse_unread(settings, ["temperature"], "changes nothing without --samples")
    source = input_file(settings.top_k_sentences, "src.reranking.bm25_sentences", settings.range)
    ranked = read_ranked(source)
    settings = in_shard(settings, ranked, source)
    chosen = in_range(ranked, settings.range.start, settings.range.end, source)
    claims = with_sources(chosen, read_claims(settings.claim_file), settings.sources, settings.claim_file)
    inputs = {"top_k_sentences": source, "claim_file": settings.claim_file, **model_file(settings.llm)}
    reference = reference_claims(settings)
    if settings.num_examples:
        inputs["reference_corpus"] = settings.reference_corpus
    if settings.calibration is not None:
        inputs["calibration"] = settings.calibration
    if settings.adapter is not None:
        inputs |= {"adapter": settings.adapter / WEIGHTS, "adapter_config": settings.adapter / CONFIG}
    return Job(
        step=STEP,
        settings=settings,
        claims=claims,
        inputs=inputs,
        start=partial(start_calling, settings, reference),
        without_result=without_verdict,
        as_list=True,
        batch=_claims_at_once(settings),
        node_files=named_model_files(settings),
        prices=settings.prices,
    )


def reference_claims(settings: OneCallSettings) -> list[Claim]:
    """Return the claims from which examples are chosen; none if the model is shown none. Raises InputError."""
    return read_claims(settings.reference_corpus) if settings.num_examples else []


def check_fitted(settings: OneCallSettings) -> None:
    """Raise InputError for an adapter or a calibration that does not go with the settings.

    Whether they belong to the model is checked when it is loaded.
    """
    check_options(settings.llm, replace(settings.engine, adapter=settings.adapter))
    if settings.adapter is not None:
        if settings.evidence is not EvidenceForm.PAIRS:
            raise InputError("was trained to write pairs, not statements", path=settings.adapter)
        check_adapter(settings.adapter, settings.sources, settings.top_n, settings.num_examples)
    if settings.calibration is not None:
        numbers = {name: getattr(settings, name) for name in OF_CALLS}
        check_numbers(read_json(settings.calibration, Calibration), numbers, settings.calibration)


def _claims_at_once(settings: OneCallSettings) -> int:
    """Return the number of claims of a batch: those whose requests the engine answers together."""
    prompt = settings.sources * SOURCE_TOKENS + settings.num_examples * EXAMPLE_TOKENS
    requests = requests_at_once(settings.llm, settings.engine, prompt + settings.max_new_tokens)
    return max(1, requests // settings.samples)


def start_calling(settings: OneCallSettings, reference: Sequence[Claim]) -> Engine[ClaimSources, Prediction]:
    """Load the model and return the engine that checks claims. Raises InputError or MissingExtra."""
    calibration = None if settings.calibration is None else read_json(settings.calibration, Calibration)
    model = get_llm(settings.llm, replace(engine_of(settings, settings.engine), adapter=settings.adapter))
    caller = OneCall(
        model,
        ClaimExamples(reference) if reference else None,
        settings.num_examples,
        settings.top_n,
        settings.evidence,
        settings.samples,
        settings.temperature,
        settings.max_new_tokens,
        calibration,
    )
    caller.check_calibration(settings.sources, settings.calibration)
    if model.info.context is not None and settings.max_new_tokens + ROOM >= model.info.context:
        raise InputError(
            f"--max_new_tokens {settings.max_new_tokens}: the model has {model.info.context} tokens in all"
        )
    return Engine(
        caller.check_all,
        model=replace(model.info, details=model.info.details | {"prompt": caller.prompt_hash}),
        notes_on=_notes_on,
        deterministic=model.info.deterministic,
        estimate=caller.estimate,
    )


def _notes_on(counts: Mapping[str, int]) -> list[str]:
    """Return a note for each part of the requests that a server was not sent."""
    without = {name.removesuffix(LEFT_OUT): number for name, number in counts.items() if name.endswith(LEFT_OUT)}
    named = {"the JSON schema" if name == SCHEMA else name: number for name, number in without.items() if number}
    return [f"the server was not sent {name}: {how_many(number, 'reply', 'replies')}" for name, number in named.items()]
