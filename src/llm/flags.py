"""Settings that name a language model and say how to run it, the same in every step that uses one.

A step declares `llm: Annotated[str | None, llm_flag()] = None` and `engine: EngineOptions = Options()`.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
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


def add_model_flags(
    flags: ArgumentParser, default: str | None = None, also: str = "", names: Sequence[str] = ("-l", "--llm")
) -> None:
    """Add --llm and the fields of Options that users may change; `also` names what else the step accepts."""
    known = "; ".join([*(backend.form for backend in BACKENDS.values()), *([also] if also else [])])
    flags.add_argument(*names, default=default, help=f"the language model: {known}")
    flags.add_argument("--dtype", choices=["float32", "bfloat16", "float16"], help="number format (found when absent)")
    flags.add_argument("--device", help="cpu, cuda or mps (found when absent)")
    flags.add_argument("--batch_rows", type=int, default=Options().batch_rows, help="rows of a batch on transformers")
    flags.add_argument("--batch_tokens", type=int, default=Options().batch_tokens, help="its tokens, beams and all")
    flags.add_argument("--slots", type=int, default=Options().slots, help="sequences at once on llama.cpp")
    flags.add_argument("--concurrency", type=int, default=Options().concurrency, help="requests at once to a server")
    flags.add_argument("--timeout", type=float, default=Options().timeout, help="seconds for a server's answer")
    flags.add_argument("--cache_dir", type=Path, help="keep the model's answers here, and ask it nothing twice")


def add_adapter_flag(flags: ArgumentParser) -> None:
    """Add --adapter, in steps with prompts that an adapter may have been trained for."""
    flags.add_argument("--adapter", type=Path, help="folder of a LoRA that was trained on the model")


def options_from(args: Namespace) -> Options:
    return Options(
        dtype=args.dtype,
        device=args.device,
        batch_rows=args.batch_rows,
        batch_tokens=args.batch_tokens,
        slots=args.slots,
        concurrency=args.concurrency,
        timeout=args.timeout,
        cache_dir=None if getattr(args, "dry_run", False) else args.cache_dir,
        adapter=getattr(args, "adapter", None),
    )


def model_file(spec: str | None) -> dict[str, Path]:
    """Return `{"llm": FILE}` for a spec that names a file, so that a run's fingerprint covers its content; else {}."""
    if spec is None or not spec.startswith(FILE_SPECS):
        return {}
    return {"llm": Path(spec.partition(":")[2])}
