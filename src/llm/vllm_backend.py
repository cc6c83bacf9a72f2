"""Models with vLLM inside this process: `vllm:NAME_OR_FOLDER`, for a GPU, in an environment that has vLLM.

All requests of a call are submitted at once; common prefixes of prompts are read once. A closed set is scored by whole,
unchanged choices, even if `first_tokens` is set: each choice is appended to its prompt and read as one text. Written
for vLLM 0.12 and later, whose interface it follows (docs.vllm.ai, "Offline inference" and "Structured outputs").

Limitations: it was never run on vLLM itself here, only on a small imitation in the tests. vLLM is not a requirement,
because its pinned versions differ from ours. No beams, no n-gram ban, no adapters. Scheduling may change a near tie
(`info.deterministic` is False).
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from src.errors import InputError, ModelError
from src.llm import Options
from src.llm.protocol import ModelInfo, Reply, Request, Stopped
from src.llm.replies import choice_reply, text_reply
from src.llm.special_tokens import harmless, special_of
from src.llm.weights import hash_of


def load(spec: str, argument: str, options: Options) -> "VllmModel":
    """Load the model of the spec `vllm:NAME_OR_FOLDER`. Raises InputError when vLLM cannot load it."""
    folder = Path(argument)
    try:
        engine = import_module("vllm").LLM(
            model=argument,
            dtype=options.dtype or "auto",
            max_model_len=options.context or None,
            enable_prefix_caching=True,
            seed=0,
        )
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"{spec}: vLLM cannot load it: {error}") from error
    config = engine.llm_engine.model_config
    info = ModelInfo(
        spec,
        "vllm",
        argument,
        sha256=hash_of(folder) if folder.is_dir() else None,
        context=config.max_model_len,
        can=frozenset({"seed", "label_tokens", "grammar"}),
        deterministic=False,
        details={"dtype": str(config.dtype).removeprefix("torch.")},
    )
    return VllmModel(engine, info)


class VllmModel:
    """Language model of a `vllm.LLM`."""

    def __init__(self, engine: Any, info: ModelInfo) -> None:
        self._engine, self.info = engine, info
        self._tokenizer = engine.get_tokenizer()
        self._special = special_of(self._tokenizer.added_tokens_decoder)

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises ModelError, with the token counts, when a prompt leaves no room for an answer.
        """
        texts: list[tuple[list[int], Any]] = []
        spans: list[tuple[int, slice]] = []  # the prompt's tokens, and which texts belong to the request
        for request in requests:
            prompt = self._prompt(request)
            parts = self._choices(request, prompt) if request.choices else [self._generation(request, prompt)]
            spans.append((len(prompt), slice(len(texts), len(texts) + len(parts))))
            texts += parts
        prompts = [{"prompt_token_ids": tokens} for tokens, _ in texts]
        results = self._engine.generate(prompts, [params for _, params in texts], use_tqdm=False) if texts else []
        return [
            _scored(request, results[span], used) if request.choices else _text_of(request, results[span][0], used)
            for request, (used, span) in zip(requests, spans, strict=True)
        ]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return the number of tokens of each text, without special tokens."""
        return [len(self._tokenizer.encode(text, add_special_tokens=False)) for text in texts]

    def _prompt(self, request: Request) -> list[int]:
        """Return the prompt's token ids; with a chat template, the special tokens come from the template."""
        prompt, system = harmless(request.prompt, self._special), harmless(request.system, self._special)
        if not request.chat:
            return list(self._tokenizer.encode(prompt))
        turns = [{"role": "system", "content": system}] if system else []
        turns.append({"role": "user", "content": prompt})
        text = self._tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        return list(self._tokenizer.encode(text, add_special_tokens=False))

    def _generation(self, request: Request, prompt: list[int]) -> tuple[list[int], Any]:
        limit = request.max_new_tokens if request.max_length is None else request.max_length - len(prompt)
        if limit < 1:
            message = f"the prompt has {len(prompt)} tokens, max_length is {request.max_length}"
            raise ModelError(f"{self.info.spec}: {message}")
        params: dict[str, Any] = {"stop": list(request.stop), "temperature": request.temperature, "seed": request.seed}
        if request.grammar:
            structured = import_module("vllm.sampling_params").StructuredOutputsParams
            params["structured_outputs"] = structured(grammar=request.grammar)
        return self._fitting(prompt, limit, params)

    def _choices(self, request: Request, prompt: list[int]) -> list[tuple[list[int], Any]]:
        """Return one vLLM input per choice: token ids of prompt and choice, and sampling parameters.

        The parameters request the probabilities of the input's tokens. vLLM must also generate one token.
        """
        choices = [list(self._tokenizer.encode(choice, add_special_tokens=False)) for choice in request.choices]
        if not prompt or not all(choices):
            raise ModelError(f"{self.info.spec}: the prompt or one of the choices {request.choices} has no tokens")
        return [self._fitting([*prompt, *tokens], 1, {"temperature": 0.0, "prompt_logprobs": 1}) for tokens in choices]

    def _fitting(self, tokens: list[int], limit: int, params: dict[str, Any]) -> tuple[list[int], Any]:
        context = self.info.context or 0
        if len(tokens) >= context:
            raise ModelError(f"{self.info.spec}: the prompt has {len(tokens)} tokens, the context is {context}")
        sampling = import_module("vllm").SamplingParams(max_tokens=min(limit, context - len(tokens)), **params)
        return tokens, sampling


def _text_of(request: Request, result: Any, used: int) -> Reply:
    (output,) = result.outputs
    ended: Stopped = "length" if output.finish_reason == "length" else "eos"
    ended = "stop" if isinstance(output.stop_reason, str) else ended
    return text_reply(request, output.text, used, len(output.token_ids), ended)


def _scored(request: Request, results: Sequence[Any], used: int) -> Reply:
    """Return the reply to a closed set; a choice's score is the sum of its tokens' log-probabilities.

    `results` has vLLM's output per choice; `used` is the number of prompt tokens before the choice.
    """
    read = [zip(result.prompt_token_ids[used:], result.prompt_logprobs[used:], strict=True) for result in results]
    scores = [sum(entry[token].logprob for token, entry in tokens) for tokens in read]
    return choice_reply(request, scores, "label_tokens", used)
