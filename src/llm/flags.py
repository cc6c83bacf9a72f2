"""Command-line settings for a language model, shared by all steps that use one: its spec and the engine's options.

A step declares `llm: Annotated[str | None, llm_flag()] = None` and `engine: EngineOptions = Options()`.
"""

from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.errors import InputError
from src.llm import BACKENDS, Options
from src.settings import Flag, Group, StepSettings

EngineOptions = Annotated[Options, Group()]
FILE_SPECS = ("gguf:", "scripted:")
SCALE = (
    "batch_rows",
    "batch_tokens",
    "slots",
    "context",
    "concurrency",
    "timeout",
    "cache_dir",
    "server_grammar",
    "server_limit",
    "server_fields",
    "batch_file",
    "batch_answers",
)  # read by language models only


def llm_flag(also: str = "", *names: str) -> Flag:
    """Return the Flag of a setting that names a language model.

    `also`: further values that the step accepts, for the help text. `names`: the flag's names instead of -l and --llm.
    """
    known = "; ".join([*(backend.form for backend in BACKENDS.values()), *([also] if also else [])])
    first, second = names or ("-l", "--llm")
    return Flag(f"the language model: {known}", first, second, or_path=True, names=BACKENDS)


def engine_of(settings: StepSettings, engine: Options) -> Options:
    """Return the engine options of a run: with --dry_run, without the cache of answers.

    Raises InputError for --dry_run with a batch, whose time nobody knows.
    """
    if settings.dry_run and engine.batch_file is not None:
        raise InputError("--dry_run measures the model's time; leave out --batch_file")
    return replace(engine, cache_dir=None) if settings.dry_run else engine


def refuse_batch(engine: Options, where: str) -> None:
    """Raise InputError if the options name files of a batch. Called where requests cannot wait for answers.

    `where` is the noun for the work in the message.
    """
    if engine.batch_file is not None or engine.batch_answers:
        raise InputError(f"--batch_file: {where} cannot wait for a batch; name a server: openai:MODEL@BASE_URL")


def model_file(spec: str | None) -> dict[str, Path]:
    """Return `{"llm": FILE}` for a spec that names a file, so that a run's fingerprint covers its content; else {}."""
    if spec is None or not spec.startswith(FILE_SPECS):
        return {}
    return {"llm": Path(spec.partition(":")[2])}
