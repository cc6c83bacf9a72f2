"""Settings that name a language model and say how to run it, the same in every step that uses one.

A step declares `llm: Annotated[str | None, llm_flag()] = None` and `engine: EngineOptions = Options()`.
"""

from pathlib import Path
from typing import Annotated

from msgspec.structs import replace

from src.llm import BACKENDS, Options
from src.settings import Flag, Group, StepSettings

EngineOptions = Annotated[Options, Group()]
FILE_SPECS = ("gguf:", "scripted:")
SCALE = (
    "batch_rows",
    "batch_tokens",
    "slots",
    "concurrency",
    "timeout",
    "cache_dir",
)  # read by language models only


def llm_flag(also: str = "", *names: str) -> Flag:
    """Return the mark of a setting that names a language model; `also` names what else the step accepts."""
    known = "; ".join([*(backend.form for backend in BACKENDS.values()), *([also] if also else [])])
    first, second = names or ("-l", "--llm")
    return Flag(f"the language model: {known}", first, second, or_path=True, names=BACKENDS)


def engine_of(settings: StepSettings, engine: Options) -> Options:
    """Return how to run the model in this run: --dry_run caches no answers."""
    return replace(engine, cache_dir=None) if settings.dry_run else engine


def model_file(spec: str | None) -> dict[str, Path]:
    """Return `{"llm": FILE}` for a spec that names a file, so that a run's fingerprint covers its content; else {}."""
    if spec is None or not spec.startswith(FILE_SPECS):
        return {}
    return {"llm": Path(spec.partition(":")[2])}
