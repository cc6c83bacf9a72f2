"""Any server with the OpenAI interface: `openai:MODEL@BASE_URL` (without @BASE_URL: the client's own default).

`chat` requests go to /chat/completions, others to /completions. At most `concurrency` requests are under way at once.
The client repeats a request after 408, 409, 429, 5xx, a lost connection or a timeout, waiting as Retry-After says. The
key is read from OPENAI_API_KEY at the first call; a server that is named by BASE_URL may do without.

But: answers may change from call to call (`info.deterministic` is false); tokens are estimated where the server does
not count them; no beams, no n-gram ban and no grammar; a closed set is scored by first tokens (known by their letters)
where the request allows it, else by option letters, or by the letters that were written where the server tells no
`logprobs`. At most four stop strings are sent, as the interface allows; all of them are cut at here.
"""

import os
import re
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import Any

from src.errors import FatalError, InputError, ModelError
from src.llm import Options
from src.llm.choices import Likeliest, score_choices
from src.llm.protocol import ModelInfo, PartialError, Reply, Request, Stopped
from src.llm.replies import text_reply
from src.llm.special_tokens import harmless

BYTES_PER_TOKEN = 4  # a usual figure for English text
SENT_STOPS = 4
UNSEEN = -20.0  # log-probability of the letters that a server without logprobs did not write
NO_KEY = "none"  # what a server of one's own is told where no key is set; the client insists on one
LIKELIEST_CHAT, LIKELIEST_PLAIN = 20, 5  # the most that the interface allows


def load(spec: str, argument: str, options: Options) -> "OpenAIModel":
    """The model of `openai:MODEL@BASE_URL`. Raises InputError when the model's name is missing."""
    found = re.fullmatch(r"(.+?)(?:@(https?://\S+))?", argument)
    if found is None:
        raise InputError(f"{spec}: no model is named; write openai:MODEL@BASE_URL")
    return OpenAIModel(spec, found[1], found[2], options)


class OpenAIModel:
    """A served model behind the seam."""

    def __init__(self, spec: str, name: str, base_url: str | None, options: Options) -> None:
        self._spec, self._name, self._base_url, self._options = spec, name, base_url, options

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(self._spec, "openai", self._name, can=frozenset({"seed"}), deterministic=False)

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Raises FatalError for a missing or wrong key or an unknown model, PartialError when retries are used up."""
        with ThreadPoolExecutor(self._options.concurrency) as pool:
            waiting = [pool.submit(self._answer, request) for request in requests]
            try:
                found = [_outcome(future) for future in waiting]
            finally:
                pool.shutdown(cancel_futures=True)
        replies = [one for one in found if isinstance(one, Reply)]
        if len(replies) < len(found):
            raise PartialError(found)
        return replies

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """An estimate from the length: the tokenizer is on the server."""
        return [-(-len(text.encode()) // BYTES_PER_TOKEN) for text in texts]

    @cached_property
    def _client(self) -> Any:
        import openai

        key = os.environ.get("OPENAI_API_KEY") or (NO_KEY if self._base_url else None)
        if key is None:
            raise InputError("OPENAI_API_KEY is not set")
        options = self._options
        return openai.OpenAI(
            api_key=key, base_url=self._base_url, timeout=options.timeout, max_retries=options.max_retries
        )

    def _answer(self, request: Request) -> Reply:
        if request.choices:
            return score_choices(request, self._next)
        answer = self._ask(request)
        prompt_tokens, new_tokens = self._usage(answer, request, _text(answer))
        return text_reply(request, _text(answer), prompt_tokens, new_tokens, _stopped(answer))

    def _next(self, request: Request) -> Likeliest:
        """A server without logprobs tells only which letter it wrote."""
        answer = self._ask(request, likeliest=True)
        found = _likeliest(answer)
        prompt_tokens, _ = self._usage(answer, request, "")
        return Likeliest(found or {_text(answer).strip()[:1]: 0.0, "": UNSEEN}, prompt_tokens, told=bool(found))

    def _ask(self, request: Request, *, likeliest: bool = False) -> Any:
        """One answer with at least one choice in it; the client's errors become ours."""
        import openai

        try:
            answer = self._send(request, likeliest)
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise FatalError(f"{self._spec}: the server says {_one_line(error)}") from error
        except openai.APIConnectionError as error:
            if not isinstance(error, openai.APITimeoutError):
                raise FatalError(f"{self._spec}: the server cannot be reached; start again when it can") from error
            raise ModelError(f"{self._spec}: {type(error).__name__}: {_one_line(error)}") from error
        except (openai.OpenAIError, ValueError) as error:  # ValueError: an answer that is not JSON
            raise ModelError(f"{self._spec}: {type(error).__name__}: {_one_line(error)}") from error
        if not getattr(answer, "choices", None):
            raise ModelError(f"{self._spec}: the server's answer holds no choices: {_one_line(answer)}")
        return answer

    def _send(self, request: Request, likeliest: bool) -> Any:
        shared: dict[str, Any] = {
            "model": self._name,
            "max_tokens": self._limit(request),
            "temperature": request.temperature,
            "seed": request.seed,
        }
        if request.stop:
            shared["stop"] = list(request.stop[:SENT_STOPS])
        if not request.chat:
            wanted = {"logprobs": LIKELIEST_PLAIN} if likeliest else {}
            return self._client.completions.create(prompt=harmless(request.prompt), **shared, **wanted)
        wanted = {"logprobs": True, "top_logprobs": LIKELIEST_CHAT} if likeliest else {}
        turns = [{"role": "system", "content": harmless(request.system)}] if request.system else []
        turns.append({"role": "user", "content": harmless(request.prompt)})
        return self._client.chat.completions.create(messages=turns, **shared, **wanted)

    def _limit(self, request: Request) -> int:
        if request.max_length is None:
            return request.max_new_tokens
        (used,) = self.count_tokens([request.prompt])
        if used >= request.max_length:
            raise ModelError(f"{self._spec}: the prompt has about {used} tokens, max_length is {request.max_length}")
        return request.max_length - used

    def _usage(self, answer: Any, request: Request, text: str) -> tuple[int, int]:
        """Tokens of prompt and answer as the server counted them, else estimated."""
        if answer.usage is not None:
            return answer.usage.prompt_tokens, answer.usage.completion_tokens
        prompt, new = self.count_tokens([request.system + request.prompt, text])
        return prompt, new


def _outcome(future: "Future[Reply]") -> Reply | ModelError:
    try:
        return future.result()
    except ModelError as error:
        return error


def _text(answer: Any) -> str:
    first = answer.choices[0]
    text = first.message.content if hasattr(first, "message") else first.text
    return text or ""


def _stopped(answer: Any) -> Stopped:
    """ "stop" and the end of the text look alike here; `text_reply` and servers that name the stop string tell them."""
    first = answer.choices[0]
    if isinstance(getattr(first, "stop_reason", None), str):
        return "stop"
    return "length" if first.finish_reason == "length" else "eos"


def _likeliest(answer: Any) -> dict[str, float]:
    """Likeliest first tokens with their log-probabilities; empty when the server tells none."""
    logs = answer.choices[0].logprobs
    if logs is None:
        return {}
    if hasattr(answer.choices[0], "message"):
        return {entry.token: entry.logprob for entry in logs.content[0].top_logprobs} if logs.content else {}
    return dict(logs.top_logprobs[0]) if logs.top_logprobs else {}


def _one_line(value: object) -> str:
    return " ".join(str(value).split())[:300]
