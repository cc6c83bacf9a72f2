"""Run of the whole pipeline. Each stage reads the file that the stage before it wrote."""

import gc
import time
from collections.abc import Callable

from msgspec.structs import replace

from src.llm import Options
from src.pipeline.ask import ask_job
from src.pipeline.collect import collect_files
from src.pipeline.explain import explain
from src.pipeline.judge import judge_job
from src.pipeline.one_call import one_call_job, reference_claims
from src.pipeline.plan import Plan, plan_of
from src.pipeline.rank import rank_job
from src.pipeline.score import score
from src.pipeline.search import search_claims
from src.pipeline.select import select_job
from src.pipeline.settings import PipelineSettings
from src.pipeline.sharding import check_outputs, divided_settings, merge_outputs
from src.pipeline.submit import submit_job
from src.pipeline.validate import validate
from src.reranking.retrievers import BM25
from src.runner.console import say
from src.runner.job import run
from src.settings import refuse_unread
from src.temporary_folder import temporary_folder

PREFIX = "averitec-dry-run-"


class Timer:
    """Runner of stages.

    `worst`: highest exit code of the stages so far.
    `lines`: name and seconds of each stage, as text.
    """

    def __init__(self) -> None:
        self.worst = 0
        self.lines: list[str] = []

    def stage(self, name: str, work: Callable[[], int]) -> None:
        """Run a stage and record its seconds and exit code.

        Raises FatalError for bad input, which ends the pipeline.
        """
        began = time.perf_counter()
        self.worst = max(self.worst, work())
        self.lines.append(f"{name:<12} {time.perf_counter() - began:6.1f} s")
        gc.collect()  # a model that is not used any more leaves its memory to the next one


def run_pipeline(settings: PipelineSettings) -> int:
    """Run all stages; return 0, or 1 if some claims failed. Raises FatalError for bad input.

    After an interruption, a new start continues where the last one ended.
    """
    plan = _plan(settings)
    for note in plan.notes:
        say(f"note: {note}")
    if settings.dry_run:
        return _estimate(plan)
    timer = Timer()
    if settings.merge:
        timer.stage("merging", lambda: merge_outputs(plan, settings))
    else:
        _compute(plan, timer)
    _conclude(plan, timer)
    say("\nSeconds of each stage, loading of models included:")
    say("\n".join(f"  {line}" for line in timer.lines))
    say(f"Submission: {plan.submit.output}")
    if plan.explain and plan.justified.predictions:
        say(f"With justifications: {plan.justified.predictions}")
    return timer.worst


def _plan(settings: PipelineSettings) -> Plan:
    """Return the plan of the run, or of its part with --shard."""
    if settings.merge:
        refuse_unread(settings, ["dry_run"], "changes nothing with --merge: nothing is computed")
    if settings.shard is None:
        return plan_of(settings)
    part = divided_settings(settings, settings.shard)
    plan = plan_of(part)
    if part.plan:
        check_outputs(plan, part.plan)
    return plan


def _compute(plan: Plan, timer: Timer) -> None:
    """Run the stages that work claim by claim. A file of claims that is missing is reported before they begin."""
    if plan.one_call:
        reference_claims(plan.one_call)
    if plan.search and plan.collect:
        search, collect = plan.search, plan.collect
        timer.stage("search", lambda: search_claims(search))
        timer.stage("pages", lambda: collect_files(collect))
    timer.stage("sentences", lambda: run(rank_job(plan.rank)))
    if plan.questions:
        own = plan.questions
        timer.stage("questions", lambda: run(ask_job(own.ask)))
        timer.stage("reranking", lambda: run(select_job(own.select)))
        timer.stage("verdicts", lambda: run(judge_job(own.judge)))
    if plan.one_call:
        calls = plan.one_call
        timer.stage("one call", lambda: run(one_call_job(calls)))
    timer.stage("submission", lambda: run(submit_job(plan.submit)))
    if plan.explain:
        explanations = plan.explain
        timer.stage("explanations", lambda: explain(explanations, plan.justified))


def _conclude(plan: Plan, timer: Timer) -> None:
    """Run the stages that need all claims: validation and scores."""
    if plan.validate:
        submission = plan.validate
        timer.stage("validation", lambda: validate(submission))
    if plan.score:
        scores = plan.score
        timer.stage("scores", lambda: score(scores))


def _estimate(plan: Plan) -> int:
    """Print how long ranking and the language model would take.

    Its prompts are counted on sentences that BM25 ranks into a temporary folder.
    """
    code = 0
    if plan.search:
        code = search_claims(replace(plan.search, dry_run=True))
        if not plan.rank.knowledge_store_dir.exists():
            say("the other steps can be estimated once the pages are there")
            return code
    code = max(code, run(rank_job(replace(plan.rank, dry_run=True))))
    with temporary_folder(PREFIX) as folder:
        sentences = folder / plan.rank.output.name
        quick = replace(
            plan.rank, output=sentences, retriever=BM25, no_index=True, quiet=True, hybrid=type(plan.rank.hybrid)(),
            llm=None, engine=Options(), index_dir=None,
        )  # fmt: skip
        code = max(code, run(rank_job(quick)))
        if plan.questions:
            asking = replace(plan.questions.ask, top_k_target_knowledge=sentences, dry_run=True)
            code = max(code, run(ask_job(asking)))
        if plan.one_call:
            code = max(code, run(one_call_job(replace(plan.one_call, top_k_sentences=sentences, dry_run=True))))
            say("one_call: its prompts were counted with single sentences; passages are up to three times as long")
    if plan.questions and plan.questions.judge.llm:
        say("verdicts: one prompt a claim")
    say("the other steps take seconds to minutes")
    return code
