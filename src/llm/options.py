"""Options of the engines for language models; every step that uses a model has them as flags."""

from pathlib import Path
from typing import Annotated, Literal

import msgspec

from src.llm.openai_calls import same_fields
from src.settings import AboveZero, Flag, Natural, Positive


class Options(msgspec.Struct, frozen=True):
    """Options of an engine; each backend reads the fields that concern it.

    `dtype`: number format of the weights; None: detected.
    `device`: torch device; None: detected.
    `batch_rows`: maximum number of rows of a batch on our own layers or transformers.
    `batch_tokens`: maximum number of tokens of such a batch: prompts and answers of all rows, beams and
        choices.
    `slots`: sequences that llama.cpp runs in parallel.
    `threads`: threads of llama.cpp; 0: one per core.
    `context`: most tokens of a prompt with its answer; 0: as many as the model was trained for, on a server unknown.
    `adapter`: folder of a LoRA that was trained on this model.
    `concurrency`: maximum number of parallel requests to a server.
    `timeout`: seconds for a server's answer.
    `max_retries`: retries of a request to a server.
    `cache_dir`: folder of the cache of answers; None: no cache.
    `server_grammar`: the server understands grammars as vLLM does.
    `server_limit`: name of the field of a chat that limits the answer's tokens; a server that refuses "max_tokens" is
        asked with the other name.
    `server_fields`: JSON object of further fields for each request to a server; null leaves a field out.
    `batch_file`: file for the requests that have no answer yet; a server is not asked then.
    `batch_answers`: files with the answers to such requests.
    """

    dtype: Annotated[
        str | None, Flag("number format (found when absent)", choices=("float32", "bfloat16", "float16"))
    ] = None
    device: Annotated[str | None, Flag("cpu, cuda or mps (found when absent)")] = None
    batch_rows: Annotated[Positive, Flag("rows of a batch on our own layers or transformers")] = 64
    batch_tokens: Annotated[Positive, Flag("its tokens, beams and all")] = 32_768
    slots: Annotated[Positive, Flag("sequences at once on llama.cpp")] = 1
    threads: Natural = 0
    context: Annotated[
        Natural,
        Flag("most tokens of a prompt with its answer; 0: as trained; name a server's, since it is unknown"),
    ] = 0
    adapter: Path | None = None
    concurrency: Annotated[Positive, Flag("requests at once to a server")] = 8
    timeout: Annotated[AboveZero, Flag("seconds for a server's answer")] = 120.0
    max_retries: Natural = 5
    cache_dir: Annotated[Path | None, Flag("keep the model's answers here, and ask it nothing twice")] = None
    server_grammar: Annotated[bool, Flag("send grammars to the server, too; vLLM follows them")] = False
    server_limit: Annotated[
        Literal["max_tokens", "max_completion_tokens"],
        Flag("name of the limit in a chat; OpenAI's current models take max_completion_tokens only"),
    ] = "max_tokens"
    server_fields: Annotated[
        str,
        Flag(
            'further fields for the server as a JSON object, such as {"reasoning_effort": "low"}; null: left out',
            parse=same_fields,
        ),
    ] = ""
    batch_file: Annotated[
        Path | None, Flag("ask no server; write the requests here, for vllm run-batch or a batch of OpenAI's")
    ] = None
    batch_answers: Annotated[tuple[Path, ...], Flag("files with the answers to these requests")] = ()

    def limited(self, context: int | None) -> int | None:
        """Return the model's context (None: unknown), or `self.context` if that is less."""
        return min(context or self.context, self.context) if self.context else context
