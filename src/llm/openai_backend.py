"""Any server with the OpenAI interface: `openai:MODEL@BASE_URL` (without @BASE_URL: the client's default).

`chat` requests go to /chat/completions, others to /completions. At most `concurrency` requests run in parallel. The
client retries a request after 408, 409, 429, 5xx, a lost connection or a timeout, and waits as Retry-After says. The
key is read from OPENAI_API_KEY at the first call; a server named by BASE_URL may do without. An answer has a size limit
and must be complete within the timeout. Waiting ends at once after a cancellation (`src/waiting.py`). An answer that is
not of the documented shape fails only its own request. Missing token counts are estimated.

Limitations: answers may change from call to call (`info.deterministic` is False). Each call opens new connections.
There are no beams, no n-gram ban and no grammar. A closed set is scored by first tokens (recognized by their text) if
the request allows it, else by option letters. If the server gives no `logprobs`, the letter that it wrote counts. At
most four stop strings are sent, as the interface allows; answers are cut at all of them here. Only the fields
below are read.
"""

import asyncio
import os
import re
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from src.errors import FatalError, InputError, ModelError
from src.json_decoding import decode
from src.llm import Options
from src.llm.choices import Likeliest, scoring
from src.llm.protocol import ModelInfo, PartialError, Reply, Request, Stopped
from src.llm.replies import text_reply
from src.llm.special_tokens import harmless
from src.waiting import waited


class Top(msgspec.Struct, frozen=True):
    token: str
    logprob: float


class ChatToken(msgspec.Struct, frozen=True):
    top_logprobs: list[Top] = []


class ChatLogs(msgspec.Struct, frozen=True):
    content: list[ChatToken] | None = None


class PlainLogs(msgspec.Struct, frozen=True):
    top_logprobs: list[dict[str, float] | None] | None = None


class Message(msgspec.Struct, frozen=True):
    content: str


class Choice(msgspec.Struct, frozen=True):
    """Fields that a choice of /chat/completions and one of /completions share.

    `finish_reason` "stop" may mean a stop string or the end of the text.
    """

    logprobs: object = None
    finish_reason: object = None
    stop_reason: object = None

    @property
    def stopped(self) -> Stopped:
        if isinstance(self.stop_reason, str):
            return "stop"
        return "length" if self.finish_reason == "length" else "eos"


class ChatChoice(Choice, frozen=True, kw_only=True):
    message: Message

    @property
    def written(self) -> str:
        return self.message.content

    def likeliest(self) -> dict[str, float]:
        """Return first tokens and their log-probabilities, {} if the server gives none. Raises ValidationError."""
        logs = msgspec.convert(self.logprobs, ChatLogs | None)
        tokens = logs and logs.content
        return {top.token: top.logprob for top in tokens[0].top_logprobs} if tokens else {}


class PlainChoice(Choice, frozen=True, kw_only=True):
    text: str

    @property
    def written(self) -> str:
        return self.text

    def likeliest(self) -> dict[str, float]:
        """Return first tokens and their log-probabilities, {} if the server gives none. Raises ValidationError."""
        logs = msgspec.convert(self.logprobs, PlainLogs | None)
        tokens = logs and logs.top_logprobs
        return dict(tokens[0] or {}) if tokens else {}


C = TypeVar("C", ChatChoice, PlainChoice)


class Usage(msgspec.Struct, frozen=True):
    prompt_tokens: Annotated[int, msgspec.Meta(ge=0)]
    completion_tokens: Annotated[int, msgspec.Meta(ge=0)]


class Answer(msgspec.Struct, Generic[C], frozen=True):
    choices: Annotated[list[C], msgspec.Meta(min_length=1)]
    usage: object = None

    @property
    def first(self) -> C:
        return self.choices[0]

    @property
    def counted(self) -> Usage | None:
        """Return the token counts of prompt and answer, or None if the server does not give both."""
        try:
            return msgspec.convert(self.usage, Usage)
        except msgspec.ValidationError:
            return None


BYTES_PER_TOKEN = 4  # a usual figure for English text
SENT_STOPS = 4
UNSEEN = -20.0  # log-probability of the letters that a server without logprobs did not write
NO_KEY = "none"  # sent to a local server if no key is set; the client requires one
SHOWN = 300  # characters of an answer in a message
LIKELIEST_CHAT, LIKELIEST_PLAIN = 20, 5  # the most that the interface allows


def load(spec: str, argument: str, options: Options) -> "OpenAIModel":
    """Return the model of the spec `openai:MODEL@BASE_URL`. Raises InputError when the model's name is missing."""
    match = re.fullmatch(r"(.+?)(?:@(https?://\S+))?", argument)
    if match is None:
        raise InputError(f"{spec}: no model is named; write openai:MODEL@BASE_URL")
    return OpenAIModel(spec, match[1], match[2], options)


class OpenAIModel:
    """Language model on a server."""

    def __init__(self, spec: str, name: str, base_url: str | None, options: Options) -> None:
        self._spec, self._name, self._base_url, self._options = spec, name, base_url, options

    @property
    def info(self) -> ModelInfo:
        return ModelInfo(self._spec, "openai", self._name, can=frozenset({"seed"}), deterministic=False)

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises FatalError for a missing or wrong key, an unknown model or an unreachable server, and PartialError when
        retries are used up.
        """
        outcomes = waited(self._replies(requests))
        replies = [outcome for outcome in outcomes if isinstance(outcome, Reply)]
        if len(replies) < len(outcomes):
            raise PartialError(outcomes)
        return replies

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate the token count of each text from its length, since the tokenizer is on the server."""
        return [-(-len(text.encode()) // BYTES_PER_TOKEN) for text in texts]

    async def _replies(self, requests: Sequence[Request]) -> list[Reply | ModelError]:
        slots = asyncio.Semaphore(self._options.concurrency)
        async with self._client() as client:

            async def outcome(request: Request) -> Reply | ModelError:
                async with slots:
                    try:
                        return await self._answer(client, request)
                    except ModelError as error:
                        return error

            return await asyncio.gather(*map(outcome, requests))

    def _client(self) -> Any:
        import openai

        from src.bounded_client import BoundedClient

        key = os.environ.get("OPENAI_API_KEY") or (NO_KEY if self._base_url else None)
        if key is None:
            raise InputError("OPENAI_API_KEY is not set")
        options = self._options
        return openai.AsyncOpenAI(
            api_key=key, base_url=self._base_url, timeout=options.timeout, max_retries=options.max_retries,
            http_client=BoundedClient(options.timeout, follow_redirects=True),
        )  # fmt: skip

    async def _answer(self, client: Any, request: Request) -> Reply:
        if request.choices:
            return await self._scored(client, request)
        answer = await self._ask(client, request)
        first = answer.first
        prompt_tokens, new_tokens = self._usage(answer, request, first.written)
        return text_reply(request, first.written, prompt_tokens, new_tokens, first.stopped)

    async def _scored(self, client: Any, request: Request) -> Reply:
        questions = scoring(request)
        try:
            question = next(questions)
            while True:
                question = questions.send(await self._next(client, question))
        except StopIteration as end:
            reply: Reply = end.value
            return reply

    async def _next(self, client: Any, request: Request) -> Likeliest:
        """Return the likeliest next tokens; from a server without logprobs, only the first letter that it wrote."""
        answer = await self._ask(client, request, likeliest=True)
        try:
            tokens = answer.first.likeliest()
        except msgspec.ValidationError as error:
            raise ModelError(f"{self._spec}: not the documented logprobs ({error})") from None
        prompt_tokens, _ = self._usage(answer, request, "")
        return Likeliest(
            tokens or {answer.first.written.strip()[:1]: 0.0, "": UNSEEN}, prompt_tokens, has_probabilities=bool(tokens)
        )

    async def _ask(
        self, client: Any, request: Request, *, likeliest: bool = False
    ) -> Answer[ChatChoice] | Answer[PlainChoice]:
        """Return the server's answer, with at least one choice. Raises ModelError, FatalError for a lasting failure."""
        import openai

        from src.bounded_client import TooLargeError

        try:
            body = await self._send(client, request, likeliest)
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise FatalError(f"{self._spec}: the server says {_one_line(error)}") from error
        except openai.APIConnectionError as error:
            if not isinstance(error, openai.APITimeoutError):
                raise FatalError(f"{self._spec}: the server cannot be reached; start again when it can") from error
            raise ModelError(f"{self._spec}: {type(error).__name__}: {_one_line(error)}") from error
        except TooLargeError as error:
            raise ModelError(f"{self._spec}: {error}") from None
        except (openai.OpenAIError, ValueError) as error:  # ValueError: a request that cannot be written as JSON
            raise ModelError(f"{self._spec}: {type(error).__name__}: {_one_line(error)}") from error
        try:
            if request.chat:
                return decode(body, Answer[ChatChoice])
            return decode(body, Answer[PlainChoice])
        except msgspec.DecodeError as error:
            seen = _one_line(body[: 4 * SHOWN].decode("utf-8", "replace"))
            raise ModelError(f"{self._spec}: not the documented answer ({error}): {seen}") from None

    async def _send(self, client: Any, request: Request, likeliest: bool) -> bytes:
        """Send the request to the server and return the body of its response."""
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
            got = await client.completions.with_raw_response.create(prompt=harmless(request.prompt), **shared, **wanted)
        else:
            wanted = {"logprobs": True, "top_logprobs": LIKELIEST_CHAT} if likeliest else {}
            turns = [{"role": "system", "content": harmless(request.system)}] if request.system else []
            turns.append({"role": "user", "content": harmless(request.prompt)})
            got = await client.chat.completions.with_raw_response.create(messages=turns, **shared, **wanted)
        body: bytes = got.http_response.content
        return body

    def _limit(self, request: Request) -> int:
        if request.max_length is None:
            return request.max_new_tokens
        (used,) = self.count_tokens([request.prompt])
        if used >= request.max_length:
            raise ModelError(f"{self._spec}: the prompt has about {used} tokens, max_length is {request.max_length}")
        return request.max_length - used

    def _usage(self, answer: Answer[ChatChoice] | Answer[PlainChoice], request: Request, text: str) -> tuple[int, int]:
        """Return the token counts of prompt and answer from the server, else estimates."""
        if counted := answer.counted:
            return counted.prompt_tokens, counted.completion_tokens
        prompt, new = self.count_tokens([request.system + request.prompt, text])
        return prompt, new


def _one_line(value: object) -> str:
    return " ".join(str(value).split())[:SHOWN]
