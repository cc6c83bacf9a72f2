"""Connection to a server with the OpenAI interface: sends one call, returns the body of the answer.

At most `concurrency` calls run in parallel. The client retries a call after 408, 409, 429, 5xx, a lost connection or a
timeout, and waits as Retry-After says. If "max_tokens" of a chat is refused, the chat is sent once more with
"max_completion_tokens", and so are all later ones; if a schema of the answer is refused, or a field that a call can do
without (`LEFT_OUT`), without it. A line on stderr says what was left out, since answers may differ. The key is read
from OPENAI_API_KEY at the first call; a server named by its URL may do without. An answer has a size limit and must be
complete within the timeout.

Limitations: each batch of calls opens new connections.
"""

import asyncio
import logging
import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from src.errors import FatalError, InputError, ModelError
from src.llm import Options
from src.llm.openai_calls import CHAT, FORMAT, LEFT_OUT, NEW_LIMIT, Call, Send, shown

REFUSES = re.compile("support|permitted|forbidden|unrecogni[sz]ed|unknown", re.IGNORECASE)
NO_KEY = "none"  # sent to a local server if no key is set; the client requires one


class Detail(msgspec.Struct, frozen=True):
    """What is wrong with a field of a request: `loc` is its path, `msg` the reason."""

    loc: list[str | int]
    msg: str


class Details(msgspec.Struct, frozen=True):
    detail: list[Detail]


class Server:
    """Server at `base_url` (None: the client's default). `spec` begins its error messages."""

    def __init__(self, spec: str, base_url: str | None, options: Options) -> None:
        self._spec, self._base_url, self._options = spec, base_url, options
        self._takes_new_limit = False  # its models refused LIMIT
        self._left_out: set[str] = set()  # fields that it refused

    @property
    def refuses_format(self) -> bool:
        return FORMAT in self._left_out

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Send]:
        """Yield the function that sends a call and returns the answer's body.

        It raises FatalError for a missing or wrong key, an unknown model or an unreachable server, and ModelError when
        retries are used up. Raises InputError when a key is needed and none is set.
        """
        slots = asyncio.Semaphore(self._options.concurrency)
        async with self._client() as client:

            async def send(call: Call) -> bytes:
                async with slots:
                    return await self._sent(client, call)

            yield send

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

    async def _sent(self, client: Any, call: Call) -> bytes:
        import openai

        from src.bounded_client import TooLargeError

        call = self._as_taken(call)
        try:
            kind = client.chat.completions if call.url == CHAT else client.completions
            got = await kind.with_raw_response.create(**call.body, extra_body=call.beyond_openai)
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            raise FatalError(f"{self._spec}: the server says {shown(error)}") from error
        except openai.APIConnectionError as error:
            if not isinstance(error, openai.APITimeoutError):
                raise FatalError(f"{self._spec}: the server cannot be reached; start again when it can") from error
            raise ModelError(f"{self._spec}: {type(error).__name__}: {shown(error)}") from error
        except TooLargeError as error:
            raise ModelError(f"{self._spec}: {error}") from None
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            refusal = _refusal(error)
            if not self._learns(call, refusal):
                raise ModelError(f"{self._spec}: {type(error).__name__}: {shown(refusal)}") from error
            return await self._sent(client, call)
        except (openai.OpenAIError, ValueError) as error:  # ValueError: a request that cannot be written as JSON
            raise ModelError(f"{self._spec}: {type(error).__name__}: {shown(error)}") from error
        body: bytes = got.http_response.content
        return body

    def _as_taken(self, call: Call) -> Call:
        """Return the call without what the server refused before."""
        renamed = call.with_new_limit() if self._takes_new_limit and call.url == CHAT else call
        return renamed.without(self._left_out)

    def _learns(self, call: Call, refusal: str) -> bool:
        """Return True if the message of a refusal is about a part of the call that it can do without, or rename."""
        if call.url == CHAT and NEW_LIMIT not in call.body and _wants_new_limit(refusal):
            self._takes_new_limit = True
            return True
        refused = _refused_fields(call, refusal)
        for name in sorted(refused - self._left_out):
            message = "%s: the server refuses %s; it is asked without, which may change its answers"
            logging.getLogger(__name__).warning(message, self._spec, name)
        self._left_out |= refused
        return bool(refused)


def _refusal(error: Any) -> str:
    """Return the message of a refusal, with the fields that FastAPI and Mistral list as `detail`."""
    try:
        details = msgspec.convert(error.body, Details).detail
    except msgspec.ValidationError:
        details = []
    return " ".join([str(error), *(f"{'.'.join(map(str, one.loc))}: {one.msg}" for one in details)])


def _refused_fields(call: Call, message: str) -> set[str]:
    """Return the fields of the call that it can do without and that the message of a refusal names."""
    words = set(re.findall(r"\w+", message))
    refused = {FORMAT} if FORMAT in call.body and words & {FORMAT, "json_schema"} else set()
    if REFUSES.search(message):
        refused |= words & set(LEFT_OUT) & call.body.keys()
    return refused | ({"top_logprobs"} if "logprobs" in refused else set())


def _wants_new_limit(message: str) -> bool:
    """Return True if the message of a refusal asks for NEW_LIMIT. OpenAI words it "Unsupported parameter: …"."""
    return NEW_LIMIT in message and "unsupported" in message.lower()
