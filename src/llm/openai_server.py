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
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from src.errors import FatalError, InputError, ModelError
from src.llm import Options
from src.llm.openai_calls import CHAT, FORMAT, LEFT_OUT, Call, Send, shown
from src.llm.openai_refusals import Refusal, read_refusal

FORBIDDEN = 403  # also the answer to fields that a model does not take
NO_KEY = "none"  # sent to a local server if no key is set; the client requires one


class Server:
    """Server at `base_url` (None: the client's default). `spec` begins its error messages."""

    def __init__(self, spec: str, base_url: str | None, options: Options) -> None:
        self._spec, self._base_url, self._options = spec, base_url, options
        self._takes_new_limit = False  # its models refused LIMIT
        self.left_out: frozenset[str] = frozenset()  # fields that it refused

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
        """Send a call, and again without what the server refuses of it."""
        while True:
            call = self._as_taken(call)
            answer = await self._answer(client, call)
            if isinstance(answer, bytes):
                return answer
            if not self._learns(call, answer):
                raise ModelError(f"{self._spec}: the server refuses the request: {answer.message}")

    async def _answer(self, client: Any, call: Call) -> bytes | Refusal:
        """Return the body of the answer to a call, or the refusal of it."""
        import openai

        from src.bounded_client import TooLargeError

        try:
            kind = client.chat.completions if call.url == CHAT else client.completions
            got = await kind.with_raw_response.create(**call.body, extra_body=call.beyond_openai)
        except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
            return read_refusal(error.response.content)
        except (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError) as error:
            refusal = read_refusal(error.response.content)
            if error.status_code == FORBIDDEN and refusal.fields & call.body.keys():
                return refusal
            raise FatalError(f"{self._spec}: the server says {shown(error)}") from error
        except openai.APIConnectionError as error:
            if not isinstance(error, openai.APITimeoutError):
                raise FatalError(f"{self._spec}: the server cannot be reached; start again when it can") from error
            raise ModelError(f"{self._spec}: {type(error).__name__}: {shown(error)}") from error
        except TooLargeError as error:
            raise ModelError(f"{self._spec}: {error}") from None
        except (openai.OpenAIError, ValueError) as error:  # ValueError: a request that cannot be written as JSON
            raise ModelError(f"{self._spec}: {type(error).__name__}: {shown(error)}") from error
        body: bytes = got.http_response.content
        return body

    def _as_taken(self, call: Call) -> Call:
        """Return the call without what the server refused before."""
        renamed = call.with_new_limit() if self._takes_new_limit and call.url == CHAT else call
        return renamed.without(self.left_out)

    def _learns(self, call: Call, refusal: Refusal) -> bool:
        """Note which fields the server does not take; return True if the call is another one without them."""
        if call.url == CHAT and refusal.wants_new_limit:
            self._takes_new_limit = True
        refused = refusal.fields & {FORMAT, *LEFT_OUT} & call.body.keys()
        for name in sorted(refused - self.left_out):
            message = "%s: the server refuses %s; it is asked without, which may change its answers"
            logging.getLogger(__name__).warning(message, self._spec, name)
        self.left_out |= refused
        return self._as_taken(call) != call
