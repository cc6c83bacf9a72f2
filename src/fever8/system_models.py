"""The models that the flags of a step name: checked when a folder is made, and listed for its installation."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec

from src.errors import InputError
from src.llm import HUB_NAME, Options, parse_spec
from src.llm.bundled import check_engine
from src.llm.loading import WIDTH
from src.llm.presence import ARCHIVES
from src.llm.weights import LARGER, MPNET
from src.settings import values_of

NO_MODEL = "none"  # value of --llm of generate_programs
AS_IN_FILES = 3  # bytes of a number where no format is given: 2 or 4
IN_FILES, IN_FOLDERS = ("gguf", "scripted"), ("hf", "vllm")  # kinds of specs by what their argument names


class StepModels(msgspec.Struct, frozen=True, kw_only=True):
    """Models of a step.

    `llm`: spec of its language model; None if it has none.
    `encoder`: its sentence encoder; None for the bundled one.
    `dtype`, `batch_tokens`, `slots`, `context`: options of the engine (`src/llm/options.py`).
    """

    llm: str | None = None
    encoder: str | None = None
    dtype: str | None = None
    batch_tokens: int
    slots: int
    context: int


def models_of(settings: msgspec.Struct) -> StepModels:
    """Return the models of a step by its settings."""
    return msgspec.convert(values_of(settings), StepModels)


def check_models(models: StepModels) -> None:
    """Raise InputError for a model that does not exist or needs a network. The hub is not asked."""
    if models.llm:
        _check_llm(models.llm)
    if models.encoder and models.encoder != MPNET.name:
        _check_folder(f"--encoder {models.encoder}", models.encoder)


def _check_llm(spec: str) -> None:
    kind, argument = parse_spec(spec)
    if kind == "openai":
        raise InputError(f"--llm {spec} is a server, and the system runs without one; give vllm:, hf: or gguf:")
    if kind in ARCHIVES:
        check_engine(spec, argument)
    elif kind in IN_FILES and not Path(argument).is_file():
        raise InputError(f"--llm {spec}: no such file")
    elif kind in IN_FOLDERS:
        _check_folder(f"--llm {spec}", argument)


def _check_folder(flag: str, name: str) -> None:
    if not Path(name).is_dir() and not HUB_NAME.fullmatch(name):
        raise InputError(f"{flag}: neither a folder nor OWNER/NAME of the hub")


def bundled_models(specs: Iterable[str]) -> list[str]:
    """Return the names of the models of specs that `src.llm.fetch` downloads and set-up does not."""
    return sorted({parse_spec(spec)[0] for spec in specs} & LARGER.keys())


def hub_models(steps: Iterable[StepModels]) -> list[str]:
    """Return the names of the models that come from the hub."""
    names = set()
    for models in steps:
        kind, argument = parse_spec(models.llm) if models.llm else ("", "")
        names |= {argument} if kind in IN_FOLDERS else set()
        names |= {models.encoder} if models.encoder and models.encoder != MPNET.name else set()
    return sorted(name for name in names if not Path(name).exists())


def largest_options(steps: Sequence[StepModels]) -> Options:
    """Return the engine options that take the most memory among the steps.

    Sizes of batches are those of steps with a language model.
    """
    asking = [one for one in steps if one.llm] or steps
    return Options(
        dtype=max((one.dtype for one in steps), key=lambda dtype: WIDTH.get(dtype or "", AS_IN_FILES)),
        batch_tokens=max(one.batch_tokens for one in asking),
        slots=max(one.slots for one in asking),
        context=0 if any(not one.context for one in asking) else max(one.context for one in asking),
    )
