"""The commands of a strategy: from claims and their knowledge store to the two files of results."""

import argparse
from collections.abc import Collection, Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.errors import InputError
from src.fever8.system import PREDICTIONS, SUBMISSION, Strategy, System
from src.fever8.system_models import NO_MODEL, bundled_models, check_models, hub_models, largest_options, models_of
from src.llm import parse_spec
from src.models import reranker
from src.models.reranker import chosen_reranker
from src.pipeline.plan import plan_of
from src.pipeline.settings import PipelineSettings
from src.prediction import verdicts
from src.prediction.verdicts import chosen_verdict_model
from src.reranking.select import Select
from src.runner.step import Step
from src.settings import values_of

PIPELINE, WRITE, RUN = "src.pipeline", "src.programs.generate_programs", "src.programs.execute_programs"
CONVERT = "src.prediction.fever8_submission"
SMALL_PROGRAMS = (("--llm", NO_MODEL), ("--entailment", "pretrained_models/adapters/entailment"))
OF_THE_RUN = {
    *("claim_file", "knowledge_store_dir", "output_dir", "output", "no_scores", "strategy", "search", "shard", "merge"),
    *("range", "start", "end", "ray", "dry_run", "overwrite", "programs_file", "predictions", "setting", "gold"),
    *("corpus", "batch_file", "batch_answers", "cache_dir", "labels", "ids", "index_dir", "trace", "recorded_answers"),
}  # set by the run itself, or not for one machine without network


class Data(NamedTuple):
    """Files of a run.

    `split`: names the results, and is the column `split` of the submission.
    `claims`: file of claims.
    `end`: highest claim_id plus 1.
    `store`: folder of the knowledge store.
    `references`: claims with gold pairs, for strategies that show examples; None if there are none.
    `results`: folder of the results.
    """

    split: str
    claims: Path
    end: int
    store: Path
    references: Path | None
    results: Path

    @property
    def predictions(self) -> Path:
        return self.results / f"{self.split}_{PREDICTIONS}"

    @property
    def submission(self) -> Path:
        return self.results / SUBMISSION


def commands(system: System, data: Data) -> list[list[str]]:
    """Return the steps of a run in order, each as the arguments of `python -m`. Each replaces an earlier output."""
    convert = [CONVERT, "-i", str(data.predictions), "-o", str(data.submission), "--split", data.split]
    if system.strategy is Strategy.PROGRAMS:
        return [*_programs(system, data), convert]
    run = [PIPELINE, data.split, "0", str(data.end), "--strategy", system.strategy.value, "--no_scores", "--overwrite"]
    places = {"claim_file": data.claims, "knowledge_store_dir": data.store, "output_dir": data.results}
    if data.references is not None:
        places["reference_corpus"] = data.references  # one among the flags, which come last, goes before it
    run += [word for name, path in places.items() for word in (f"--{name}", str(path))]
    return [[*run, *system.flags], convert]


def _programs(system: System, data: Data) -> list[list[str]]:
    programs, trace = (data.results / f"{data.split}_{name}.json" for name in ("programs", "program_trace"))
    store = ["--setting", "open", "-k", str(data.store), "--predictions", str(data.predictions)]
    return [
        [WRITE, "-c", str(data.claims), "-o", str(programs), "--overwrite", *system.flags],
        [RUN, "-i", str(programs), "-o", str(trace), "--overwrite", *store, *system.then],
    ]


def system_of(name: str, strategy: Strategy, words: Sequence[str], revision: str | None) -> System:
    """Return the system that the words after `--` on the command line describe.

    With programs, a second `--` separates the flags of the two steps. Exits with code 2 for an unknown flag. Raises
    InputError for flags that the run sets itself, for models that need a network, and for models that do not exist.
    """
    first, then = _split(strategy, list(words))
    models = [models_of(one) for one in _settings(strategy, first, then)]
    for one in models:
        check_models(one)
    specs = sorted({one.llm for one in models if one.llm})
    options = largest_options(models)
    return System(
        name, strategy, first, then,
        llms=specs,
        dtype=options.dtype or "",
        batch_tokens=options.batch_tokens,
        slots=options.slots,
        context=options.context,
        bundled=bundled_models(specs),
        hub=hub_models(models),
        vllm=any(parse_spec(spec)[0] == "vllm" for spec in specs),
        revision=revision,
    )  # fmt: skip


def _split(strategy: Strategy, words: list[str]) -> tuple[list[str], list[str]]:
    """Return the flags of the two steps; those of the small models for programs without any."""
    if strategy is not Strategy.PROGRAMS:
        if "--" in words:
            raise InputError(f"--strategy {strategy} has one step; write one -- only, before its flags")
        return words, []
    cut = words.index("--") if "--" in words else len(words)
    first, then = words[:cut] or list(SMALL_PROGRAMS[0]), words[cut + 1 :] or list(SMALL_PROGRAMS[1])
    return first, then


def _settings(strategy: Strategy, first: Sequence[str], then: Sequence[str]) -> list[msgspec.Struct]:
    """Return the settings of the steps that load models."""
    if strategy is not Strategy.PROGRAMS:
        return [_pipeline_settings(strategy, first)]
    write, run = _parsed(WRITE, first), _parsed(RUN, then)
    is_by_rules = values_of(write)["llm"] == NO_MODEL
    return [run] if is_by_rules else [write, run]


def _pipeline_settings(strategy: Strategy, flags: Sequence[str]) -> PipelineSettings:
    """Return the settings of the pipeline; models and names are checked as before a run."""
    words = ["test", "0", "1", "--strategy", strategy.value, *flags]
    settings = _parsed(f"{PIPELINE}.__main__", words, own=("start", "end", "strategy"))
    assert isinstance(settings, PipelineSettings)
    if settings.strategy.value != strategy.value:
        raise InputError(f"--strategy {settings.strategy} after -- contradicts --strategy {strategy} before it")
    _refuse_published(settings)
    plan = plan_of(settings)
    llm = plan.one_call.llm if plan.one_call else plan.questions.ask.writer.llm if plan.questions else ""
    return msgspec.structs.replace(settings, writer=msgspec.structs.replace(settings.writer, llm=llm))


def _refuse_published(settings: PipelineSettings) -> None:
    """Raise InputError if a run would use a published checkpoint by name or by default; set-up does not bring them."""
    is_by_question = settings.strategy.value == Strategy.QUESTIONS
    verdict = settings.verdict or chosen_verdict_model()[0]
    ranker = settings.reranker or chosen_reranker(None)[0]
    used = {verdict, ranker} if settings.select is not Select.STANCE else {verdict}
    published = {"published", verdicts.PUBLISHED, reranker.PUBLISHED}  # a flag's path is a text, and is copied
    if is_by_question and (settings.published or used & published):
        raise InputError(
            "the published checkpoints are not part of a submission; give --verdict and --reranker other models"
        )


def _parsed(module: str, words: Sequence[str], own: Collection[str] = ()) -> msgspec.Struct:
    """Return the settings that a step would run with. The step is found by its name, as `python -m` finds it.

    `own`: settings of the run that are among the words. Raises InputError for others, and for paths that do not exist.
    """
    main: Step[msgspec.Struct] = import_module(module).main
    settings = main.parse(list(words))
    values = values_of(settings)
    arguments = main.parser.parse_args(list(words), argparse.Namespace(**dict.fromkeys(values)))
    for name in sorted(name for name in values if getattr(arguments, name) is not None):
        if name in OF_THE_RUN and name not in own:
            raise InputError(f"--{name} cannot be given here: system_inference.sh runs offline, and sets the files")
        path = values[name]
        if isinstance(path, Path) and not path.exists():
            raise InputError(f"--{name} {path}: no such file or folder")
    return settings
