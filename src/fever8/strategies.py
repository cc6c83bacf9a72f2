"""The commands of a strategy: from claims and their knowledge store to the two files of results."""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import msgspec

from src.errors import InputError
from src.fever8.system import Method, System
from src.llm import parse_spec
from src.llm.weights import LARGER
from src.pipeline.plan import plan_of
from src.pipeline.settings import PipelineSettings
from src.runner.step import Step
from src.settings import defaults_of, values_of

PIPELINE, WRITE, RUN = "src.pipeline", "src.programs.generate_programs", "src.programs.execute_programs"
CONVERT = "src.prediction.fever8_submission"
SMALL_PROGRAMS = (("--llm", "none"), ("--entailment", "pretrained_models/adapters/entailment"))
NO_MODEL = "none"
OF_THE_RUN = {
    *("claim_file", "knowledge_store_dir", "output_dir", "output", "no_scores", "strategy", "search", "shard", "merge"),
    *("range", "start", "end", "ray", "dry_run", "overwrite", "programs_file", "predictions", "setting", "gold"),
    *("corpus", "batch_file", "batch_answers", "cache_dir", "labels", "ids"),
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
        return self.results / f"{self.split}_veracity_prediction.json"

    @property
    def submission(self) -> Path:
        return self.results / "submission.csv"


def commands(system: System, data: Data) -> list[list[str]]:
    """Return the steps of a run in order, each as the arguments of `python -m`."""
    convert = [CONVERT, "-i", str(data.predictions), "-o", str(data.submission), "--split", data.split]
    if system.strategy is Method.PROGRAMS:
        return [*_programs(system, data), convert]
    run = [PIPELINE, data.split, "0", str(data.end), "--strategy", system.strategy.value, "--no_scores"]
    places = {"claim_file": data.claims, "knowledge_store_dir": data.store, "output_dir": data.results}
    if data.references is not None:
        places["reference_corpus"] = data.references  # one among the flags, which come last, goes before it
    run += [word for name, path in places.items() for word in (f"--{name}", str(path))]
    return [[*run, *system.flags], convert]


def _programs(system: System, data: Data) -> list[list[str]]:
    programs, trace = (data.results / f"{data.split}_{name}.json" for name in ("programs", "program_trace"))
    store = ["--setting", "open", "-k", str(data.store), "--predictions", str(data.predictions)]
    return [
        [WRITE, "-c", str(data.claims), "-o", str(programs), *system.flags],
        [RUN, "-i", str(programs), "-o", str(trace), *store, *system.then],
    ]


def system_of(name: str, strategy: Method, words: Sequence[str], revision: str | None) -> System:
    """Return the system that the words after `--` on the command line describe.

    With programs, a second `--` separates the flags of the two steps. Exits with code 2 for an unknown flag. Raises
    InputError for flags that the run sets itself, for models that need a network, and for models that do not exist.
    """
    first, then = _split(strategy, list(words))
    settings = [_settings(strategy, first)]
    if strategy is Method.PROGRAMS:
        settings.append(_parsed(RUN, then))
    for one in settings:
        _refuse_flags_of_the_run(one)
    values = [values_of(one) for one in settings]
    llms = [str(one["llm"]) for one in values if one.get("llm") and one["llm"] != NO_MODEL]
    for spec in llms:
        _refuse_network(spec)
    kinds = [parse_spec(spec) for spec in llms]
    names = [*kinds, *(("hf", str(one["encoder"])) for one in values if one.get("encoder"))]
    return System(
        name, strategy, first, then,
        llms=sorted(set(llms)),
        dtype=str(values[-1].get("dtype") or ""),
        batch_tokens=int(str(values[-1]["batch_tokens"])),
        slots=int(str(values[-1]["slots"])),
        bundled=sorted({kind for kind, _ in kinds if kind in LARGER}),
        hub=sorted({name for kind, name in names if kind in ("hf", "vllm") and _is_hub_name(name)}),
        vllm=any(kind == "vllm" for kind, _ in kinds),
        revision=revision,
    )  # fmt: skip


def _split(strategy: Method, words: list[str]) -> tuple[list[str], list[str]]:
    """Return the flags of the two steps; those of the small models for programs without any."""
    if strategy is not Method.PROGRAMS:
        if "--" in words:
            raise InputError(f"--strategy {strategy} has one step; write one -- only, before its flags")
        return words, []
    cut = words.index("--") if "--" in words else len(words)
    first, then = words[:cut] or list(SMALL_PROGRAMS[0]), words[cut + 1 :] or list(SMALL_PROGRAMS[1])
    return first, then


def _settings(strategy: Method, flags: Sequence[str]) -> msgspec.Struct:
    """Return the settings of the first step; models and names are checked as before a run."""
    if strategy is Method.PROGRAMS:
        return _parsed(WRITE, flags)
    settings = _parsed(f"{PIPELINE}.__main__", ["test", "0", "1", "--strategy", strategy.value, *flags])
    assert isinstance(settings, PipelineSettings)
    if settings.strategy.value != strategy.value:
        raise InputError(f"--strategy {settings.strategy} after -- contradicts --strategy {strategy} before it")
    plan = plan_of(settings)
    llm = plan.one_call.llm if plan.one_call else plan.questions.ask.writer.llm if plan.questions else ""
    return msgspec.structs.replace(settings, writer=msgspec.structs.replace(settings.writer, llm=llm))


def _parsed(module: str, flags: Sequence[str]) -> msgspec.Struct:
    """Return the settings that a step would run with. The step is found by its name, as `python -m` finds it."""
    main: Step[msgspec.Struct] = import_module(module).main
    return main.parse(list(flags))


def _refuse_flags_of_the_run(settings: msgspec.Struct) -> None:
    values, defaults = values_of(settings), defaults_of(type(settings))
    for name in sorted(OF_THE_RUN & values.keys() - {"strategy", "start", "end"}):
        if values[name] != defaults[name]:
            raise InputError(f"--{name} cannot be given here: system_inference.sh runs offline, and sets the files")


def _refuse_network(spec: str) -> None:
    if parse_spec(spec)[0] == "openai":
        raise InputError(f"--llm {spec} is a server, and the system runs without one; give vllm:, hf: or gguf:")


def _is_hub_name(name: str) -> bool:
    return "/" in name and not Path(name).exists()
