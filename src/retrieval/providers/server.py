"""HTTP client of search servers: keys from the environment, retries, and the errors that end the run.

Requests are retried after a timeout, a server error, or status 429 (too many requests). The pause doubles each time, or
is the one that Retry-After asks for. The run ends at errors that every further query would meet, too: a used-up quota,
an unreachable server, a refused key, and any refusal before the first answer. A server that was never reached is tried
once or twice, for a few seconds: there may be no network, and a user waits. One that was reached before is tried as
often as after other errors. Error messages never contain the key. The size of an answer is limited, and the timeout
covers the whole answer. Waiting ends at once when the caller cancels the work (`src/waiting.py`). Between requests to a
server there is the pause that its operators ask for.

Limitations: one request at a time, each over its own connection. Redirects are not followed, since they would send the
key to another server.
"""

import os
import re
from asyncio import sleep
from collections.abc import Awaitable, Callable, Mapping
from enum import Enum, auto
from threading import Lock
from time import monotonic
from typing import TypeVar

import httpx2
import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, wait_exponential_jitter

from src.bounded_client import BoundedClient, TooLargeError
from src.errors import ClaimError, InputError, NetworkError, one_line
from src.json_decoding import decode
from src.retrieval.providers.environment import server_of, variable
from src.retrieval.providers.protocol import LATER, RefusedQueryError
from src.retrieval.web.download import USER_AGENT
from src.retrieval.web.retries import seconds_to_wait
from src.waiting import waited

SHOWN = 200  # characters of an answer in a message


class Fault(Enum):
    """Cause of an error answer: the key, the quota, a busy server, or the query."""

    KEY = auto()
    QUOTA = auto()
    BUSY = auto()
    QUERY = auto()


USUAL = {401: Fault.KEY, 402: Fault.QUOTA, 403: Fault.KEY, 429: Fault.BUSY}
_NO_REFUSAL = (404, 408, 429)  # not found, too slow, too many requests
_MARKUP = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)


class _Detail(msgspec.Struct):
    message: str = ""
    detail: str = ""
    info: str = ""  # MediaWiki


class _ErrorAnswer(msgspec.Struct):
    """Error answer of a provider, in any of the JSON layouts that providers use."""

    error: _Detail | str | None = None
    errors: list[_Detail] = []
    message: str = ""


CONTACT = "SEARCH_CONTACT"  # environment variable: e-mail address or URL of whoever runs this program
WITHOUT_KEY = f"{CONTACT}=you@example.org tells it whom to ask about the requests"  # advice if access is refused


def contact_header() -> dict[str, str]:
    """Return the User-Agent header for APIs that want to know whom to ask about many requests.

    Raises InputError when the contact has characters that cannot be sent.
    """
    contact = variable("wikipedia", CONTACT) if os.environ.get(CONTACT, "").strip() else ""
    return {"User-Agent": USER_AGENT.replace(")", f"; {contact})") if contact else USER_AGENT}


def is_refusal(status: int) -> bool:
    """Return True if the server rejects the request itself (4xx other than 404, 408, 429)."""
    return 400 <= status < 500 and status not in _NO_REFUSAL


def error_message(content: bytes, key: str) -> str:
    """Return the error message in an answer, as one short line without markup and without the key."""
    text = _MARKUP.sub(" ", _message(content[:100_000]))
    return one_line(text.replace(key, "***") if key else text)[:SHOWN] or "(no message)"


def _message(content: bytes) -> str:
    try:
        answer = decode(content, _ErrorAnswer)
    except msgspec.DecodeError:
        return content.decode("utf-8", "replace")
    if isinstance(answer.error, str):
        return answer.error or answer.message
    details = [answer.error] if answer.error else answer.errors
    return (
        "; ".join(filter(None, (detail.message or detail.detail or detail.info for detail in details)))
        or answer.message
    )


ATTEMPTS = 5
SILENT_ATTEMPTS = 2  # if no answer comes in time
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds
CONNECT = 5.0  # seconds for name lookup and connecting
NEVER_REACHED_ATTEMPTS, NEVER_REACHED_PAUSE, NEVER_REACHED_SECONDS = 2, 0.5, 2.0
PATIENCE = 120.0  # longest Retry-After, in seconds; the user decides on a longer wait

_NEXT_REQUEST: dict[str, float] = {}  # by server: when the next request may be sent, by `monotonic`
_NEXT_REQUEST_LOCK = Lock()

T = TypeVar("T")


class _TryAgain(Exception):  # noqa: N818 - the name says what it is
    """Raised when a request may be retried.

    `final`: error to raise when no attempt is left.
    `pause`: seconds until the next attempt, or None for the default.
    `is_reached`: the server was reached, now or before.
    `attempts`: most attempts.
    """

    def __init__(
        self,
        final: ClaimError | NetworkError,
        pause: float | None = None,
        *,
        is_reached: bool = True,
        attempts: int = ATTEMPTS,
    ) -> None:
        super().__init__(str(final))
        self.final, self.pause, self.is_reached, self.attempts = final, pause, is_reached, attempts


class SearchServer:
    """HTTP client of one search server.

    `name`: provider, for messages.
    `timeout`: seconds for one complete answer.
    `fault`: function from status and text of an error answer to its cause; None means the usual cause of the status.
    `refused`: advice for the user, added to the message when access is refused.
    `every`: smallest number of seconds from one request to the next.
    """

    def __init__(
        self,
        name: str,
        timeout: float,
        fault: Callable[[int, str], Fault | None] = lambda *_: None,
        refused: str = "is the key right?",
        every: float = 0.0,
    ) -> None:
        self.name, self._timeout, self._fault, self._refused = name, timeout, fault, refused
        self._reached, self._answered, self._every = False, False, every

    def variable(self, name: str) -> str:
        """Return the value of an environment variable. Raises InputError when it is not set."""
        return variable(self.name, name)

    def ask(
        self,
        url: str,
        answer: type[T],
        *,
        key: str = "",
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> T:
        """Send a GET request, or a POST request with `body`, and return the answer as an object of type `answer`.

        Error messages never contain `key`. Raises ClaimError when this request fails, InputError for a refused key or
        request, NetworkError when the run must end.
        """

        async def attempt() -> bytes:
            await self._turn(server_of(url))
            async with BoundedClient(self._timeout) as client:
                response = await client.request(
                    "GET" if body is None else "POST", url, params=params, json=body,
                    headers={"Accept": "application/json", **(headers or {})},
                    timeout=httpx2.Timeout(self._timeout, connect=min(CONNECT, self._timeout)),
                )  # fmt: skip
            self._reached = True
            if response.status_code == httpx2.codes.OK:
                self._answered = True
                return response.content
            raise self._error_of(response, key)

        content = waited(self._repeated(attempt, server_of(url)))
        try:
            return decode(content, answer)
        except msgspec.DecodeError as error:
            shown = error_message(content, key)
            raise ClaimError(f"{self.name}: not the documented answer ({error}): {shown}") from None

    async def _turn(self, server: str) -> None:
        """Wait until this process may send the server its next request."""
        if not self._every:
            return
        with _NEXT_REQUEST_LOCK:
            now = monotonic()
            turn = max(now, _NEXT_REQUEST.get(server, 0.0))
            _NEXT_REQUEST[server] = turn + self._every
        if turn > now:
            await sleep(turn - now)

    async def _repeated(self, attempt: Callable[[], Awaitable[bytes]], server: str) -> bytes:
        retrying = AsyncRetrying(
            sleep=sleep,
            retry=retry_if_exception_type(_TryAgain),
            stop=_is_last,
            wait=_pause,
            reraise=True,
        )
        try:
            content: bytes = await retrying(self._connected, attempt, server)
        except _TryAgain as error:
            raise error.final from None
        return content

    async def _connected(self, attempt: Callable[[], Awaitable[bytes]], server: str) -> bytes:
        """Make one attempt. Errors of the HTTP client are replaced, since their texts contain the URL with the key."""
        try:
            return await attempt()
        except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
            _NEXT_REQUEST.pop(server, None)  # nothing was sent
            if self._reached and isinstance(error, httpx2.ConnectTimeout):
                raise self._silent() from None
            pause = None if self._reached else NEVER_REACHED_PAUSE
            raise _TryAgain(self._unreachable(server, error), pause, is_reached=self._reached) from None
        except httpx2.TimeoutException:
            raise self._silent() from None
        except TooLargeError as error:
            raise ClaimError(f"{self.name}: {error}") from None
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            if isinstance(error, httpx2.NetworkError) or "without sending a response" in str(error):
                raise _TryAgain(self._unreachable(server, error)) from None
            raise _TryAgain(ClaimError(f"{self.name}: no whole answer ({type(error).__name__})")) from None

    def _unreachable(self, server: str, error: Exception) -> NetworkError:
        message = f"{self.name}: the server cannot be reached: {server} ({type(error).__name__})"
        return NetworkError(f"{message}; {LATER}")

    def _silent(self) -> _TryAgain:
        """Return the error of a server that does not answer in time: of this query, if it answered another before."""
        message = f"{self.name}: no answer within {self._timeout:g} s"
        final = ClaimError(message) if self._answered else NetworkError(f"{message}; {LATER}")
        return _TryAgain(final, attempts=SILENT_ATTEMPTS)

    def _error_of(self, response: httpx2.Response, key: str) -> Exception:
        """Return the error to raise for an answer that is not 200."""
        message = f"{self.name}: HTTP {response.status_code}: {error_message(response.content, key)}"
        fault = self._fault(response.status_code, response.text) or USUAL.get(response.status_code, Fault.QUERY)
        if fault is Fault.KEY:
            return InputError(f"{message} ({self._refused})")
        if fault is Fault.QUOTA:
            return NetworkError(f"{message} (the quota is used up); {LATER}")
        pause = seconds_to_wait(response.headers.get("Retry-After", ""))
        if fault is Fault.BUSY:
            busy = NetworkError(f"{message}; {LATER}")
            return busy if pause is not None and pause > PATIENCE else _TryAgain(busy, pause)
        if not self._answered and is_refusal(response.status_code):
            return RefusedQueryError(message)
        failed = ClaimError(message)
        passing = response.status_code >= 500 or response.status_code == httpx2.codes.REQUEST_TIMEOUT
        return _TryAgain(failed, None if pause is None else min(pause, PATIENCE)) if passing else failed


def _is_last(state: RetryCallState) -> bool:
    """Return True if no further attempt is made."""
    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, _TryAgain) and not error.is_reached:
        spent = state.seconds_since_start or 0.0
        return state.attempt_number >= NEVER_REACHED_ATTEMPTS or spent >= NEVER_REACHED_SECONDS
    return state.attempt_number >= (error.attempts if isinstance(error, _TryAgain) else ATTEMPTS)


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, _TryAgain) and error.pause is not None:
        return error.pause
    return wait_exponential_jitter(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE, jitter=FIRST_PAUSE)(state)
