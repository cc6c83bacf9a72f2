"""Models with the OpenAI interface: `openai:MODEL@BASE_URL` (without @BASE_URL: the client's default).

`chat` requests go to /chat/completions, others to /completions. A server answers them (`openai_server.py`) or, with
`batch_file`, files (`openai_batch.py`). Waiting ends at once after a cancellation (`src/waiting.py`). An answer that is
not of the documented shape fails only its own request. Missing token counts are estimated.

Limitations: answers may change from call to call (`info.deterministic` is False). There are no beams and no n-gram ban.
Grammars are sent if `server_grammar` says that the server follows them, as vLLM does. A closed set is scored by first
tokens (recognized by their text) if the request allows it, else by option letters. If the server gives no `logprobs`,
the letter that it wrote counts. At most four stop strings are sent, as the interface allows; answers are cut at all of
them here. Only the fields below are read.
"""

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from src.errors import InputError, ModelError, PendingError
from src.json_decoding import decode
from src.llm import Options
from src.llm.choices import Likeliest, scoring
from src.llm.openai_batch import Batch
from src.llm.openai_calls import (
    CHAT,
    FORMAT,
    LIMIT,
    NEW_LIMIT,
    PLAIN,
    SHOWN,
    Call,
    Send,
    Transport,
    read_fields,
    same_fields,
    shown,
)
from src.llm.openai_server import Server
from src.llm.protocol import SCHEMA, SERVER_FIELDS, ModelInfo, PartialError, Reply, Request, Stopped
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
FEW_BYTES = 3  # as in text with many numbers and names, and in most other languages
SENT_STOPS = 4
HOST = re.compile(
    r"@(?:localhost|\d+(?:\.\d+){3}|[\w.-]+\.[a-z]{2,}|[\w.-]+(?=:\d+))(?::\d+)?(?:/\S*)?$"
)  # without http://
UNSEEN = -20.0  # log-probability of the letters that a server without logprobs did not write
LIKELIEST_CHAT, LIKELIEST_PLAIN = 20, 5  # the most that the interface allows


def load(spec: str, argument: str, options: Options) -> "OpenAIModel":
    """Return the model of the spec `openai:MODEL@BASE_URL`.

    Raises InputError when the model's name is missing, `server_fields` are wrong, or a file of answers cannot be read.
    """
    match = re.fullmatch(r"(?!@https?:)(.+?)(?:@(https?://\S+))?", argument)
    if match is None:
        raise InputError(f"{spec}: no model is named; write openai:MODEL@BASE_URL")
    if match[2] is None and HOST.search(argument):
        raise InputError(f"{spec}: the address of a server begins with http:// or https://")
    if options.batch_file is None:
        return OpenAIModel(spec, match[1], Server(spec, match[2], options), options)
    return OpenAIModel(spec, match[1], Batch(spec, match[1], options.batch_answers), options)


class OpenAIModel:
    """Language model behind the OpenAI interface."""

    def __init__(self, spec: str, name: str, transport: Transport, options: Options) -> None:
        self._spec, self._name, self._transport = spec, name, transport
        self._grammar, self._limit_name = options.server_grammar, options.server_limit
        self._server_fields, self._fields = options.server_fields, read_fields(options.server_fields)
        self._context = options.limited(None)

    @property
    def info(self) -> ModelInfo:
        can = frozenset({"seed", "grammar"} if self._grammar else {"seed"})
        details = {SERVER_FIELDS: same_fields(self._server_fields)} if self._fields else {}
        return ModelInfo(
            self._spec, "openai", self._name, context=self._context, can=can, deterministic=False, details=details
        )

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        """Return the reply to each request, in order.

        Raises FatalError for a missing or wrong key, an unknown model or an unreachable server, PartialError when
        retries are used up, and PendingError with all requests that have no answer in the files of a batch.
        """
        outcomes = waited(self._outcomes(requests))
        waiting = tuple(line for one in outcomes if isinstance(one, PendingError) for line in one.requests)
        if waiting:
            raise PendingError("requests to the model have no answers yet; this step leaves no file of them", waiting)
        known = [outcome for outcome in outcomes if not isinstance(outcome, PendingError)]
        replies = [outcome for outcome in known if isinstance(outcome, Reply)]
        if len(replies) < len(known):
            raise PartialError(known)
        return replies

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Estimate the token count of each text from its length, since the tokenizer is on the server.

        With a known context the estimate is high: a prompt that is too long would be refused.
        """
        each = BYTES_PER_TOKEN if self._context is None else FEW_BYTES
        return [-(-len(text.encode()) // each) for text in texts]

    async def _outcomes(self, requests: Sequence[Request]) -> list[Reply | ModelError | PendingError]:
        async with self._transport.session() as send:

            async def outcome(request: Request) -> Reply | ModelError | PendingError:
                try:
                    return await self._answer(send, request)
                except (ModelError, PendingError) as error:
                    return error

            return await asyncio.gather(*map(outcome, requests))

    async def _answer(self, send: Send, request: Request) -> Reply:
        if request.choices:
            return await self._scored(send, request)
        answer = await self._ask(send, request)
        first = answer.first
        prompt_tokens, new_tokens = self._usage(answer, request, first.written)
        reply = text_reply(request, first.written, prompt_tokens, new_tokens, first.stopped)
        return msgspec.structs.replace(reply, left_out=self._left_out(request))

    def _left_out(self, request: Request) -> tuple[str, ...]:
        """Return the parts of a request that the server was not sent."""
        left_out = {*self._transport.left_out, *(name for name, value in self._fields.items() if value is None)}
        is_schema_sent = bool(request.schema) and request.chat
        own = {FORMAT: is_schema_sent, "stop": bool(request.stop), "temperature": True, "seed": True}
        return tuple(
            SCHEMA if name == FORMAT else name for name, is_sent in own.items() if is_sent and name in left_out
        )

    async def _scored(self, send: Send, request: Request) -> Reply:
        questions = scoring(request)
        try:
            question = next(questions)
            while True:
                question = questions.send(await self._next(send, question))
        except StopIteration as end:
            reply: Reply = end.value
            return reply

    async def _next(self, send: Send, request: Request) -> Likeliest:
        """Return the likeliest next tokens; from a server without logprobs, only the first letter that it wrote."""
        answer = await self._ask(send, request, likeliest=True)
        try:
            tokens = answer.first.likeliest()
        except msgspec.ValidationError as error:
            raise ModelError(f"{self._spec}: not the documented logprobs ({error})") from None
        prompt_tokens, _ = self._usage(answer, request, "")
        return Likeliest(
            tokens or {answer.first.written.strip()[:1]: 0.0, "": UNSEEN}, prompt_tokens, has_probabilities=bool(tokens)
        )

    async def _ask(
        self, send: Send, request: Request, *, likeliest: bool = False
    ) -> Answer[ChatChoice] | Answer[PlainChoice]:
        """Return the answer to a request, with at least one choice. Raises ModelError, and the errors of `send`."""
        body = await send(self._call(request, likeliest))
        try:
            if request.chat:
                return decode(body, Answer[ChatChoice])
            return decode(body, Answer[PlainChoice])
        except msgspec.DecodeError as error:
            seen = shown(body[: 4 * SHOWN].decode("utf-8", "replace"))
            raise ModelError(f"{self._spec}: not the documented answer ({error}): {seen}") from None

    def _call(self, request: Request, likeliest: bool) -> Call:
        body: dict[str, Any] = {
            "model": self._name,
            LIMIT: self._limit(request),
            "temperature": request.temperature,
            "seed": request.seed,
        }
        if request.stop:
            body["stop"] = list(request.stop[:SENT_STOPS])
        is_held = self._grammar and request.grammar
        beyond = {"structured_outputs": {"grammar": request.grammar}} if is_held else {}
        further: dict[str, Any] = {}
        if not request.chat:
            further |= {"logprobs": LIKELIEST_PLAIN} if likeliest else {}
            return Call(PLAIN, body | {"prompt": harmless(request.prompt)} | further, beyond).with_fields(self._fields)
        further |= {"logprobs": True, "top_logprobs": LIKELIEST_CHAT} if likeliest else {}
        if request.schema:
            schema = {"name": "answer", "strict": True, "schema": msgspec.json.decode(request.schema)}
            further |= {FORMAT: {"type": "json_schema", "json_schema": schema}}
        turns = [{"role": "system", "content": harmless(request.system)}] if request.system else []
        turns.append({"role": "user", "content": harmless(request.prompt)})
        call = Call(CHAT, body | {"messages": turns} | further, beyond)
        call = call.with_new_limit() if self._limit_name == NEW_LIMIT else call
        return call.with_fields(self._fields)

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
