"""Language models with one method: `get_llm("smollm2").complete([Request("Once upon a time")])`.

Read in this order: protocol, this file, scripted_backend, openai_backend, llamacpp_backend, transformers_backend,
bundled, larger, vllm_backend, cache. A backend's module is imported only when a spec names it.

Limitations: there is no budget here; steps count calls and tokens from the replies.
"""

import importlib
import os.path
import re

import msgspec

from src.errors import InputError, require
from src.llm.cache import CachedModel
from src.llm.options import Options
from src.llm.protocol import LanguageModel, ModelInfo, Reply, Request
from src.llm.threads import spin_little, use_large_pages

__all__ = ["BACKENDS", "LanguageModel", "ModelInfo", "Options", "Reply", "Request", "get_llm"]


class Backend(msgspec.Struct, frozen=True):
    """A module with `load(spec, argument, options)`, the packages it needs, and the form of its specs.

    `adapters`: True if its models accept an adapter. `alone`: True if the name is a spec by itself. `in_order`: True if
    answers depend on those before them, so that none can be cached.
    """

    module: str
    packages: tuple[str, ...]
    form: str
    adapters: bool = False
    alone: bool = False
    in_order: bool = False


BACKENDS = {
    "smollm2": Backend("src.llm.bundled", (), "smollm2 (or smollm2:transformers, smollm2:llamacpp)", True, True),
    "qwen2.5-coder-0.5b": Backend("src.llm.bundled", ("xllamacpp",), "qwen2.5-coder-0.5b[:transformers]", True, True),
    "qwen2.5-coder-1.5b": Backend("src.llm.bundled", ("xllamacpp",), "qwen2.5-coder-1.5b[:transformers]", True, True),
    "gguf": Backend("src.llm.llamacpp_backend", ("xllamacpp",), "gguf:FILE", True),
    "hf": Backend("src.llm.transformers_backend", ("torch", "transformers"), "hf:NAME_OR_FOLDER (or OWNER/NAME)", True),
    "vllm": Backend("src.llm.vllm_backend", ("vllm",), "vllm:NAME_OR_FOLDER"),
    "openai": Backend("src.llm.openai_backend", ("openai",), "openai:MODEL@BASE_URL"),
    "scripted": Backend("src.llm.scripted_backend", (), "scripted:FILE", in_order=True),
}
HUB_NAME = re.compile(r"[\w.-]+/[\w.-]+")

spin_little()
use_large_pages()


def get_llm(spec: str, options: Options | None = None) -> LanguageModel:
    """Load and return the model that `spec` names.

    Raises InputError for an unknown spec or a missing model, MissingExtra when a package or the bundled model is not
    installed.
    """
    kind, argument = parse_spec(spec)
    backend = BACKENDS[kind]
    if options is not None and options.adapter is not None and not backend.adapters:
        raise InputError(f"--adapter {options.adapter}: the model {spec} takes no adapter")
    cache_dir = options.cache_dir if options is not None else None
    if cache_dir is not None and backend.in_order:
        raise InputError(f"--cache_dir {cache_dir}: the answers of {spec} depend on their order")
    for package in backend.packages:
        require(package, f"the model {spec}")
    model: LanguageModel = importlib.import_module(backend.module).load(spec, argument, options or Options())
    return model if cache_dir is None else CachedModel(model, cache_dir)


def parse_spec(spec: str) -> tuple[str, str]:
    """Return the backend's name and its argument. Raises InputError that lists the known forms."""
    kind, colon, argument = spec.partition(":")
    if kind in BACKENDS and (argument or (BACKENDS[kind].alone and not colon)):
        return kind, argument
    if HUB_NAME.fullmatch(spec) or (spec and os.path.isdir(spec)):
        return "hf", spec
    forms = "; ".join(backend.form for backend in BACKENDS.values())
    raise InputError(f"unknown model {spec[:100]!r}; known are: {forms}")
