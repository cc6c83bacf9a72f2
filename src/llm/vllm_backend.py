"""Models with vLLM inside this process: `vllm:NAME_OR_FOLDER`, in the environment that `script/setup.sh --vllm` makes.

All requests of a call are submitted at once, and common beginnings of their prompts are read once (prefix cache). A
closed set is scored by whole, unchanged choices, even if `first_tokens` is set. The choices of a prompt form a tree of
tokens. Each inner node is a request for one new token, from which the log-probabilities of the node's branches are
taken, so the prompt itself is read once.

The engine runs in this process, without a scheduler of its own, and the prefix cache is emptied before each call.
Answers then depend on the requests of the call only, on one machine with one version (`info.deterministic`). With
VLLM_BATCH_INVARIANT=1, on a GPU, they do not depend on other requests at all, and the cache is kept.

Limitations: no beams, no n-gram ban, no adapters. A prompt that is too long is refused, not truncated.
"""

import os
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

from src.errors import InputError, ModelError
from src.llm import Options
from src.llm.chat import prompt_text
from src.llm.loading import first_line
from src.llm.progress import answered
from src.llm.protocol import ModelInfo, Reply, Request, Stopped
from src.llm.replies import choice_reply, text_reply
from src.llm.special_tokens import special_of
from src.llm.weights import hash_of

INVARIANT = "VLLM_BATCH_INVARIANT"
# Set before vLLM is imported, unless the user has set them.
SURROUNDINGS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine runs in this process, so scheduling does not depend on time
    "VLLM_LOGGING_LEVEL": "CRITICAL",  # its errors are exceptions anyway
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",  # by default one core is left out; OMP_NUM_THREADS decides
    "VLLM_CPU_KVCACHE_SPACE": "4",  # GiB of keys and values on a CPU; by default nearly all memory
    "VLLM_NO_USAGE_STATS": "1",  # nothing is sent to vLLM's makers
}
MOST_BRANCHES = 128  # of a node; the most tokens whose log-probabilities vLLM returns


def load(spec: str, argument: str, options: Options) -> "VllmModel":
    """Load the model of the spec `vllm:NAME_OR_FOLDER`. Raises InputError when vLLM cannot load it."""
    folder = Path(argument)
    for name, value in SURROUNDINGS.items():
        os.environ.setdefault(name, value)
    device = str(import_module("vllm.platforms").current_platform.device_type)
    try:
        engine = import_module("vllm").LLM(
            model=argument,
            dtype=options.dtype or "auto",
            max_model_len=options.context or None,
            enable_prefix_caching=True,
            seed=0,
            enforce_eager=device == "cpu",  # compiling takes minutes there
            use_tqdm_on_load=False,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{spec}: vLLM cannot load it: {first_line(error)}") from error
    config = engine.llm_engine.model_config
    invariant = os.environ.get(INVARIANT) == "1" and device == "cuda"  # elsewhere vLLM ignores it
    info = ModelInfo(
        spec,
        "vllm",
        argument,
        sha256=hash_of(folder) if folder.is_dir() else None,
        context=config.max_model_len,
        can=frozenset({"seed", "label_tokens", "grammar"}),
        deterministic=invariant or os.environ["VLLM_ENABLE_V1_MULTIPROCESSING"] == "0",
        details={
            "dtype": str(config.dtype).removeprefix("torch."),
            "version": _version(),
            "device": device,
            "prefix_cache": "kept" if invariant else "emptied before each call",
            "batch_invariant": "yes" if invariant else "no",
            **_revision(config),
        },
    )
    return VllmModel(engine, info, keeps_cache=invariant)


def _revision(config: Any) -> dict[str, str]:
    """Return the commit of a model from the hub as a detail; {} for a folder."""
    commit = getattr(config.hf_config, "_commit_hash", None)
    return {"revision": commit} if commit else {}


def _version() -> str:
    for package in ("vllm", "vllm-cpu"):
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            continue
    return "unknown"


class Job(NamedTuple):
    """One request to vLLM: token ids of its prompt, and its sampling parameters."""

    tokens: list[int]
    sampling: Any


class VllmModel:
    """Language model of a `vllm.LLM`. `keeps_cache`: the prefix cache is kept between calls."""

    def __init__(self, engine: Any, info: ModelInfo, *, keeps_cache: bool = False) -> None:
        self._engine, self.info, self._keeps_cache = engine, info, keeps_cache
        self._tokenizer = engine.get_tokenizer()
        self._special = special_of(self._tokenizer.added_tokens_decoder)

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises ModelError, with the token counts, when a prompt leaves no room for an answer.
        """
        jobs: list[Job] = []
        spans: list[tuple[int, slice]] = []  # the prompt's number of tokens, and which jobs belong to the request
        for request in requests:
            prompt = self._prompt(request)
            own = self._branchings(request, prompt) if request.choices else [self._generation(request, prompt)]
            spans.append((len(prompt), slice(len(jobs), len(jobs) + len(own))))
            jobs += own
        results = self._run(jobs)
        replies = [
            self._scored(request, jobs[span], results[span], used)
            if request.choices
            else _text_of(request, results[span][0], used)
            for request, (used, span) in zip(requests, spans, strict=True)
        ]
        answered(len(replies))
        return replies

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        return [len(tokens) for tokens in map(self._plain, texts)]

    def _run(self, jobs: Sequence[Job]) -> list[Any]:
        if not jobs:
            return []
        if not self._keeps_cache:
            self._engine.reset_prefix_cache()
        prompts = [{"prompt_token_ids": job.tokens} for job in jobs]
        results: list[Any] = self._engine.generate(prompts, [job.sampling for job in jobs], use_tqdm=False)
        return results

    def _prompt(self, request: Request) -> list[int]:
        """Return the prompt's token ids."""
        text, special = prompt_text(self._tokenizer, request, self._special)
        return list(self._tokenizer.encode(text, add_special_tokens=special))

    def _plain(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def _generation(self, request: Request, prompt: list[int]) -> Job:
        limit = request.max_new_tokens if request.max_length is None else request.max_length - len(prompt)
        if limit < 1:
            message = f"the prompt has {len(prompt)} tokens, max_length is {request.max_length}"
            raise ModelError(f"{self.info.spec}: {message}")
        # the reply is cut at stop strings later; the text up to which it is read belongs to it
        ends = [*request.stop, *([request.reading.until] if request.reading else [])]
        how: dict[str, Any] = {"stop": ends, "include_stop_str_in_output": True}
        how |= {"temperature": request.temperature, "seed": request.seed}
        if request.schema or request.grammar:
            structured = import_module("vllm.sampling_params").StructuredOutputsParams
            held_to = {"json": request.schema} if request.schema else {"grammar": request.grammar}
            how["structured_outputs"] = structured(**held_to)
        return self._job(prompt, limit, how)

    def _branchings(self, request: Request, prompt: list[int]) -> list[Job]:
        """Return a job for each inner node of the tree of choices: the prompt, and the tokens up to the node."""
        choices = [self._plain(choice) for choice in request.choices]
        if not prompt or not all(choices):
            raise ModelError(f"{self.info.spec}: the prompt or one of the choices {request.choices} has no tokens")
        branches: dict[tuple[int, ...], dict[int, None]] = {}
        for tokens in choices:
            for node, token in _steps(tokens):
                branches.setdefault(node, {})[token] = None
        if max(map(len, branches.values())) > MOST_BRANCHES:
            raise ModelError(f"{self.info.spec}: more than {MOST_BRANCHES} choices differ in one token")
        return [
            self._job([*prompt, *node], 1, {"temperature": 0.0, "logprob_token_ids": list(tokens)})
            for node, tokens in branches.items()
        ]

    def _job(self, tokens: list[int], limit: int, how: dict[str, Any]) -> Job:
        context = self.info.context or 0
        if len(tokens) >= context:
            raise ModelError(f"{self.info.spec}: the prompt has {len(tokens)} tokens, the context is {context}")
        return Job(tokens, import_module("vllm").SamplingParams(max_tokens=min(limit, context - len(tokens)), **how))

    def _scored(self, request: Request, jobs: Sequence[Job], results: Sequence[Any], used: int) -> Reply:
        """Return the reply to a closed set; a choice's score is the sum of its tokens' log-probabilities.

        `results` has vLLM's output of each job; `used` is the number of prompt tokens before the choice.
        """
        after = {
            tuple(job.tokens[used:]): result.outputs[0].logprobs[0] for job, result in zip(jobs, results, strict=True)
        }
        scores = [
            sum(after[node][token].logprob for node, token in _steps(self._plain(choice))) for choice in request.choices
        ]
        return choice_reply(request, scores, "label_tokens", used)


def _steps(tokens: Sequence[int]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each token of a choice with the tokens before it."""
    for place, token in enumerate(tokens):
        yield tuple(tokens[:place]), token


def _text_of(request: Request, result: Any, used: int) -> Reply:
    (output,) = result.outputs
    ended: Stopped = "length" if output.finish_reason == "length" else "eos"
    return text_reply(request, output.text, used, len(output.token_ids), ended)
