"""Number of requests that an engine answers together, which is known before its model is loaded.

A step that collects the requests of several claims makes its batches by it. An engine divides a larger call itself.
"""

from src.llm import parse_spec
from src.llm.options import Options

SCHEDULED = 64  # requests for vLLM, which schedules them itself
WAITING = 2  # requests for each worker of a server or slot of llama.cpp: a slow answer then keeps fewer of them idle


def requests_at_once(spec: str, options: Options, tokens: int) -> int:
    """Return how many requests of about `tokens` tokens each, answers included, to give to the model at a time.

    Raises InputError for an unknown spec.
    """
    kind, argument = parse_spec(spec)
    if kind == "vllm":
        return SCHEDULED
    if kind == "openai":
        return _of_workers(options.concurrency)
    if kind == "scripted":
        return 1
    if kind == "gguf" or _is_on_llamacpp(kind, argument):
        return _of_workers(options.slots)
    return max(1, min(options.batch_rows, options.batch_tokens // tokens))


def _of_workers(workers: int) -> int:
    return workers if workers == 1 else WAITING * workers


def _is_on_llamacpp(kind: str, argument: str) -> bool:
    from src.llm.bundled import LLAMACPP, engine_named

    return kind != "hf" and engine_named(kind, argument) == LLAMACPP
