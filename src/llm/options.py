"""How to run a language model: the settings of all engines, which are the same flags in every step that uses one."""

from pathlib import Path
from typing import Annotated

import msgspec

from src.settings import Flag


class Options(msgspec.Struct, frozen=True):
    """How to run a model; each backend reads the fields that concern it.

    `dtype` and `device` are detected if None. A batch of transformers contains at most `batch_rows` rows and
    `batch_tokens` tokens of prompts and answers, over all rows, beams and choices; a large GPU has room for more.
    llama.cpp runs `slots` sequences in parallel on `threads` threads (0: one per core), with `context` tokens each (0:
    as many as the model was trained for). `adapter` is the folder of a LoRA that was trained on this model;
    transformers merges it, llama.cpp adds it at run time. A server gets at most `concurrency` parallel requests, each
    with `timeout` seconds and `max_retries` retries. Answers are cached in `cache_dir`.
    """

    dtype: Annotated[
        str | None, Flag("number format (found when absent)", choices=("float32", "bfloat16", "float16"))
    ] = None
    device: Annotated[str | None, Flag("cpu, cuda or mps (found when absent)")] = None
    batch_rows: Annotated[int, Flag("rows of a batch on transformers")] = 64
    batch_tokens: Annotated[int, Flag("its tokens, beams and all")] = 32_768
    slots: Annotated[int, Flag("sequences at once on llama.cpp")] = 1
    threads: int = 0
    context: int = 0
    adapter: Path | None = None
    concurrency: Annotated[int, Flag("requests at once to a server")] = 8
    timeout: Annotated[float, Flag("seconds for a server's answer")] = 120.0
    max_retries: int = 5
    cache_dir: Annotated[Path | None, Flag("keep the model's answers here, and ask it nothing twice")] = None
