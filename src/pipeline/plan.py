"""Plan of a pipeline run: the settings of each stage, and notes on replacements for models that are missing."""

from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec.structs import replace

from src.errors import InputError
from src.explanation.justified import JustifiedPredictions
from src.llm import Options
from src.models.reranker import NONE, chosen_reranker
from src.models.trained import is_trained
from src.pipeline.ask import AskSettings
from src.pipeline.collect import CollectSettings
from src.pipeline.explain import REASONING, STANCE, ExplainSettings
from src.pipeline.judge import JudgeSettings
from src.pipeline.one_call import OneCallSettings, check_fitted
from src.pipeline.published import as_published
from src.pipeline.rank import RankSettings, refuse_unread_ranking
from src.pipeline.score import ScoreSettings
from src.pipeline.search import SearchSettings
from src.pipeline.select import SelectSettings
from src.pipeline.settings import ONE_CALL, PipelineSettings, PipelineStrategy
from src.pipeline.submit import SubmitSettings
from src.pipeline.validate import ValidateSettings
from src.prediction.verdicts import DEFAULT_LLM, LLM, chosen_verdict_model, named_verdict_model
from src.reranking.questions.flags import NOT_OF_ONE_CALL, refuse_no_sample
from src.reranking.retrievers import HYBRID, RETRIEVERS
from src.reranking.select import Select
from src.reranking.top_file import TOP_K
from src.retrieval.leakage import LeakageSettings
from src.runner.claim_range import ClaimJobSettings
from src.runner.prices import Prices
from src.runner.workers import cores
from src.settings import flag_names, refuse_unread
from src.stance.reader import READER
from src.stance.stacker import is_stacker

Stage = TypeVar("Stage", bound=ClaimJobSettings)


class QuestionPlan(msgspec.Struct, frozen=True):
    """Settings of the stages of the question strategy: questions, selection of evidence, verdicts."""

    ask: AskSettings
    select: SelectSettings
    judge: JudgeSettings


class Plan(msgspec.Struct, frozen=True):
    """The settings of each stage, in the order of the stages; None for a stage that is left out.

    `questions`, `one_call`: stages of the two strategies; one of them is None.
    `notes`: for the user.
    """

    search: SearchSettings | None
    collect: CollectSettings | None
    rank: RankSettings
    questions: QuestionPlan | None
    one_call: OneCallSettings | None
    submit: SubmitSettings
    validate: ValidateSettings | None
    score: ScoreSettings | None
    explain: ExplainSettings | None
    justified: JustifiedPredictions
    notes: list[str] = []

    def outputs(self) -> list[Path]:
        """Return the outputs of the stages that work claim by claim, in their order."""
        own = self.questions
        by_questions = (own.ask, own.select, own.judge) if own else ()
        jobs = (self.rank, *by_questions, self.one_call, self.submit, self.explain)
        return [job.output for job in jobs if job is not None]


def plan_of(settings: PipelineSettings) -> Plan:
    """Return the plan of a run. Names and paths are checked here, before hours of computation.

    Raises InputError for a model that does not exist, and for settings that contradict each other.
    """
    settings = replace(settings, verdict=settings.verdict or None, reranker=settings.reranker or None)
    is_one_call = settings.strategy is PipelineStrategy.ONE_CALL
    if is_one_call:
        unread = ("published", "select", "reranker", "verdict", *NOT_OF_ONE_CALL)
        refuse_unread(settings, unread, f"changes nothing with --strategy {PipelineStrategy.ONE_CALL}")
        refuse_no_sample(settings.writer)
    else:
        of_calls = ("evidence", "calibration", *flag_names(Prices))
        refuse_unread(settings, of_calls, f"goes with --strategy {PipelineStrategy.ONE_CALL}")
    settings = as_published(settings) if settings.published else settings
    llm = settings.writer.llm or (ONE_CALL.llm if is_one_call else DEFAULT_LLM)
    settings = replace(settings, writer=replace(settings.writer, llm=llm))
    verdict, notes = (LLM, []) if is_one_call else _verdict(settings)
    judging = named_verdict_model(verdict) if verdict else None
    own_reader = judging / "reader" if judging and is_trained(judging / "reader") else None
    explain, more = _explain(settings, verdict, judging, own_reader)
    calls = _one_call(settings) if is_one_call else None
    if calls:
        check_fitted(calls)
    scores = ScoreSettings(
        prediction_file=settings.file("veracity_prediction"),
        label_file=settings.claims,
        json=settings.file("scores"),
        range=settings.range,
    )
    return Plan(
        search=_search(settings) if settings.search else None,
        collect=_collect(settings) if settings.search else None,
        rank=_alike(_rank(settings), settings),
        questions=None if is_one_call else _questions(settings, verdict, own_reader),
        one_call=_alike(calls, settings) if calls else None,
        submit=_alike(_submit(settings), settings),
        validate=None if settings.plan else _validate(settings),
        score=None if settings.plan or settings.no_scores or settings.split == "test" else scores,
        explain=_alike(explain, settings) if explain else None,
        justified=JustifiedPredictions(None if settings.plan else settings.file("justified_prediction")),
        notes=[*notes, *more],
    )


def _alike(stage: Stage, settings: PipelineSettings) -> Stage:
    """Return the settings of a stage with the values that all stages share: overwrite, quiet, claims, cluster."""
    return replace(
        stage, overwrite=settings.overwrite, quiet=settings.quiet, range=settings.range, cluster=settings.cluster
    )


def _how(settings: PipelineSettings) -> Options:
    """Return the number format and the device of all models."""
    return Options(dtype=settings.writer.engine.dtype, device=settings.writer.engine.device)


def _search(settings: PipelineSettings) -> SearchSettings:
    return SearchSettings(
        output=settings.urls,
        provider=settings.search or "",
        range=settings.range,
        claim_file=settings.claims,
        leakage=_leakage(settings),
        engine=Options(timeout=settings.writer.engine.timeout),
        overwrite=settings.overwrite,
        quiet=settings.quiet,
    )


def _collect(settings: PipelineSettings) -> CollectSettings:
    return CollectSettings(
        tsv_input_file=settings.urls,
        json_output_dir=settings.store,
        range=settings.range,
        claim_file=settings.claims,
        leakage=_leakage(settings),
        overwrite=settings.overwrite,
        quiet=settings.quiet,
        cluster=settings.cluster,
    )


def _leakage(settings: PipelineSettings) -> LeakageSettings:
    hybrid = settings.hybrid
    return LeakageSettings(
        exclude_urls=hybrid.exclude_urls,
        keep_fact_check=hybrid.keep_fact_check,
        keep_later_pages=hybrid.keep_later_pages,
    )


def _rank(settings: PipelineSettings) -> RankSettings:
    has_model = settings.hybrid.hyde
    retriever = settings.retriever or HYBRID
    hybrid, is_one_call = settings.hybrid, settings.strategy is PipelineStrategy.ONE_CALL
    if is_one_call and RETRIEVERS[retriever].is_hybrid:
        hybrid = replace(hybrid, passages=True)
    if settings.search and not RETRIEVERS[retriever].is_hybrid:  # search and scraping have refused those pages already
        hybrid = replace(hybrid, exclude_urls=None, keep_fact_check=False, keep_later_pages=False)
    ranking = RankSettings(
        knowledge_store_dir=settings.store,
        claim_file=settings.claims,
        output=settings.file("top_k_sentences"),
        top_k=settings.top_k or (ONE_CALL.sources if is_one_call else TOP_K),
        retriever=retriever,
        index_dir=settings.index_dir,
        no_index=settings.no_index,
        workers=settings.workers or cores(),
        hybrid=hybrid,
        llm=settings.writer.llm if has_model else None,
        engine=settings.writer.engine if has_model else Options(),
    )
    refuse_unread_ranking(ranking)
    return ranking


def _one_call(settings: PipelineSettings) -> OneCallSettings:
    """Return the settings of one call; what --num_examples and the like leave open has the stage's own default."""
    named = {"num_examples", "samples", "max_new_tokens"}
    given = {name: value for name in named if (value := getattr(settings.writer, name)) is not None}
    return OneCallSettings(
        top_k_sentences=settings.file("top_k_sentences"),
        claim_file=settings.claims,
        output=settings.file("veracity_prediction"),
        reference_corpus=settings.references,
        sources=settings.top_k or ONE_CALL.sources,
        top_n=settings.top_n or ONE_CALL.top_n,
        evidence=settings.evidence,
        calibration=settings.calibration,
        llm=settings.writer.llm,
        adapter=settings.writer.adapter,
        engine=settings.writer.engine,
        prices=settings.prices,
        **given,
    )


def _questions(settings: PipelineSettings, verdict: str | None, own_reader: Path | None) -> QuestionPlan:
    return QuestionPlan(
        ask=_alike(_ask(settings), settings),
        select=_alike(_select(settings, own_reader), settings),
        judge=_alike(_judge(settings, verdict), settings),
    )


def _ask(settings: PipelineSettings) -> AskSettings:
    return AskSettings(
        reference_corpus=settings.references,
        top_k_target_knowledge=settings.file("top_k_sentences"),
        output=settings.file("top_k_qa"),
        top_k=settings.top_k or TOP_K,
        writer=settings.writer,
    )


def _select(settings: PipelineSettings, own_reader: Path | None) -> SelectSettings:
    options = _how(settings)
    plain = SelectSettings(
        top_k_qa_file=settings.file("top_k_qa"), output=settings.file("top_3_rerank_qa"), top_n=settings.top_n or 3
    )
    if settings.select is Select.STANCE:
        if settings.reranker:
            raise InputError(f"--reranker changes nothing with --select {Select.STANCE}: it goes with likeness")
        _refuse_float16(options)
        return replace(plain, select=Select.STANCE, entailment=own_reader, dtype=options.dtype, device=options.device)
    if chosen_reranker(settings.reranker)[0] is None:
        return replace(plain, best_checkpoint=Path(NONE) if settings.reranker else None)
    _refuse_float16(options)
    ranker = Path(settings.reranker) if settings.reranker else None
    return replace(plain, best_checkpoint=ranker, dtype=options.dtype, device=options.device)


def _refuse_float16(options: Options) -> None:
    if options.dtype == "float16":
        raise InputError("--dtype float16: evidence is selected in float32 or bfloat16")


def _verdict(settings: PipelineSettings) -> tuple[str | None, list[str]]:
    """Return the verdict model by name or path (None: the default one), and notes for the user."""
    if settings.verdict is not None:
        return settings.verdict, []
    model, notes = chosen_verdict_model(settings.writer.llm)
    return (LLM, notes) if model is None else (None, [])


def _judge(settings: PipelineSettings, verdict: str | None) -> JudgeSettings:
    by_model = verdict == LLM
    return JudgeSettings(
        claim_with_evidence_file=settings.file("top_3_rerank_qa"),
        output=settings.file("veracity_prediction"),
        verdict=None if by_model else verdict,
        llm=settings.writer.llm if by_model else None,
        engine=settings.writer.engine if by_model else _how(settings),
    )


def _submit(settings: PipelineSettings) -> SubmitSettings:
    return SubmitSettings(
        veracity_prediction_file=settings.file("veracity_prediction"),
        output=settings.file("veracity_prediction_for_submission"),
        knowledge_store_dir=settings.store,
    )


def _validate(settings: PipelineSettings) -> ValidateSettings:
    return ValidateSettings(
        file=settings.file("veracity_prediction_for_submission"), label_file=settings.claims, range=settings.range
    )


def _explain(
    settings: PipelineSettings, verdict: str | None, judging: Path | None, own_reader: Path | None
) -> tuple[ExplainSettings | None, list[str]]:
    """Return the settings of the explanations, and notes for the user.

    Explanations come from the reasoning of a language model that judges, from stances, or from a template. `judging` is
    the folder of the verdict model, and `own_reader` the stance model in it. The settings are None in published mode,
    which writes no explanations.
    """
    if settings.published:
        return None, []
    plain = ExplainSettings(
        claims_file=settings.file("veracity_prediction"),
        output=settings.file("explanations"),
    )
    options = _how(settings)
    if verdict == LLM:
        return replace(plain, method=REASONING, engine=options), []
    if (judging and is_stacker(judging)) or is_trained(READER):
        return replace(plain, method=STANCE, entailment=own_reader, engine=options), []
    return plain, [f"{READER} is not there, so that justifications are copied by a template"]
