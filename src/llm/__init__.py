"""Language models with one method: `get_llm("smollm2").complete([Request("Once upon a time")])`.

`BACKENDS` is the table of engines. To add one, write a module with `load(spec, argument, options)`, which returns a
`LanguageModel` (`protocol.py`; `scripted_backend.py` is a short example), and add its line there. A backend's module is
imported only when a spec names it.

Read in this order: protocol, this file, scripted_backend, openai_backend (openai_calls, openai_server,
openai_batch), llamacpp_backend, transformers_backend, bundled, vllm_backend, cache.

Limitations: calls and tokens are not limited here; steps count both from the replies.
"""

import importlib
import os.path
import re
from typing import NamedTuple

from src.errors import InputError, require
from src.llm.cache import CachedModel
from src.llm.openai_calls import read_fields
from src.llm.options import Options
from src.llm.protocol import LanguageModel, ModelInfo, Reply, Request
from src.llm.threads import spin_little, use_large_pages

__all__ = ["BACKENDS", "LanguageModel", "ModelInfo", "Options", "Reply", "Request", "get_llm"]


class Backend(NamedTuple):
    """Engine of language models: an entry of `BACKENDS`.

    `module`: the module with its `load`.
    `form`: how its specs look, for help texts and messages.
    `packages`: the Python packages that it needs.
    `remedy`: the commands that install them; by default pip.
    `adapters`: its models accept a LoRA adapter.
    `alone`: the engine's name is a complete spec; no argument is needed.
    `in_order`: an answer depends on the requests before it, so it cannot be cached.
    `is_server`: a server answers its requests; they can also be written to a file, and its answers read from files.
    """

    module: str
    form: str
    packages: tuple[str, ...] = ()
    remedy: str = ""
    adapters: bool = False
    alone: bool = False
    in_order: bool = False
    is_server: bool = False


def _by_name(form: str, *packages: str) -> Backend:
    """Return the backend of a model that `src.llm.fetch` downloads."""
    return Backend("src.llm.bundled", form, packages, adapters=True, alone=True)


BACKENDS = {
    "smollm2": _by_name("smollm2 (or smollm2:torch, smollm2:transformers, smollm2:llamacpp)"),
    "qwen2.5-coder-0.5b": _by_name("qwen2.5-coder-0.5b[:transformers]", "xllamacpp"),
    "qwen2.5-coder-1.5b": _by_name("qwen2.5-coder-1.5b[:transformers]", "xllamacpp"),
    "gguf": Backend("src.llm.llamacpp_backend", "gguf:FILE", ("xllamacpp",), adapters=True),
    "hf": Backend(
        "src.llm.transformers_backend", "hf:NAME_OR_FOLDER (or OWNER/NAME)", ("torch", "transformers"), adapters=True
    ),
    "vllm": Backend(
        "src.llm.vllm_backend",
        "vllm:NAME_OR_FOLDER",
        ("vllm",),
        "bash script/setup.sh --vllm, then . .venv-vllm/bin/activate",
    ),
    "openai": Backend("src.llm.openai_backend", "openai:MODEL@BASE_URL", ("openai",), is_server=True),
    "scripted": Backend("src.llm.scripted_backend", "scripted:FILE", in_order=True),
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
    backend, cache_dir = BACKENDS[kind], options.cache_dir if options is not None else None
    if options is not None:
        check_options(spec, options)
    for package in backend.packages:
        require(package, f"the model {spec}", backend.remedy)
    model: LanguageModel = importlib.import_module(backend.module).load(spec, argument, options or Options())
    return model if cache_dir is None else CachedModel(model, cache_dir)


def check_options(spec: str, options: Options) -> None:
    """Raise InputError for an unknown spec, and for options that its backend does not take. Nothing is loaded."""
    backend = BACKENDS[parse_spec(spec)[0]]
    if options.adapter is not None and not backend.adapters:
        raise InputError(
            f"--adapter {options.adapter}: the model {spec} takes no adapter; models of transformers and llama.cpp do"
        )
    if options.cache_dir is not None and backend.in_order:
        raise InputError(f"--cache_dir {options.cache_dir}: the answers of {spec} depend on their order")
    if options.batch_answers and options.batch_file is None:
        raise InputError("--batch_answers needs --batch_file, for requests without an answer")
    if options.batch_file is not None and not backend.is_server:
        raise InputError(f"--batch_file needs an openai: model, not {spec}")
    if read_fields(options.server_fields) and not backend.is_server:
        raise InputError(f"--server_fields needs an openai: model, not {spec}")


def parse_spec(spec: str) -> tuple[str, str]:
    """Split a spec into the backend's name and its argument. Raises InputError for an unknown spec."""
    kind, colon, argument = spec.partition(":")
    if kind in BACKENDS and (argument or (BACKENDS[kind].alone and not colon)):
        return kind, argument
    if HUB_NAME.fullmatch(spec) or (spec and os.path.isdir(spec)):
        return "hf", spec
    forms = "; ".join(backend.form for backend in BACKENDS.values())
    raise InputError(f"unknown model {spec[:100]!r}; known are: {forms}")
