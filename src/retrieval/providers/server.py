"""Asking a search server over HTTP: keys, retries, and which errors end the run.

A busy server, a server error and a time-out are tried again, after a pause that doubles or the one that Retry-After
asks for. A used-up quota and a server that cannot be reached end the run, since no other query would fare better; so
does a key that is refused, and any refusal before the first answer. What a server says is told without the key.

An answer has a largest size and comes within the time-out as a whole; the wait for it, pauses included, ends at once
where the work is not wanted any more (`src/waiting.py`).

But: one request at a time, each over a connection of its own, and no redirects, for they would carry the key elsewhere.
"""

from asyncio import sleep
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

import httpx2
import msgspec
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from src.bounded_client import BoundedClient, TooLargeError
from src.errors import ClaimError, InputError, NetworkError
from src.json_decoding import decode
from src.retrieval.providers.environment import server_of, variable
from src.retrieval.providers.faults import USUAL, Fault, is_refusal, spoken
from src.retrieval.web.retries import seconds_to_wait
from src.waiting import waited

ATTEMPTS = 5
FIRST_PAUSE, LONGEST_PAUSE = 1.0, 30.0  # seconds
PATIENCE = 120.0  # seconds that Retry-After may ask for; a longer wait is the user's to decide
LATER = "start again later, it goes on from here"
FIRST = "nothing was answered before, so the run stops; if the claim is at fault, --start goes past it"

T = TypeVar("T")


class _TryAgain(Exception):  # noqa: N818 - the name says what it is
    """An attempt that another may make good; `final` is what to raise when none is left."""

    def __init__(self, final: ClaimError | NetworkError, pause: float | None = None) -> None:
        super().__init__(str(final))
        self.final, self.pause = final, pause


class SearchServer:
    """`fault` reads a provider's own errors, by status and text; None leaves it to the status.

    `refused` is what to tell a user who is not let in.
    """

    def __init__(
        self,
        name: str,
        timeout: float,
        fault: Callable[[int, str], Fault | None] = lambda *_: None,
        refused: str = "is the key right?",
    ) -> None:
        self.name, self._timeout, self._fault, self._refused = name, timeout, fault, refused
        self._answered = False

    def variable(self, name: str) -> str:
        """As `environment.variable`."""
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
        """The answer to a GET, or to a POST of `body`. Raises ClaimError, InputError, NetworkError.

        `key` is what no message may show.
        """

        async def attempt() -> bytes:
            async with BoundedClient(self._timeout) as client:
                got = await client.request(
                    "GET" if body is None else "POST", url, params=params, json=body,
                    headers={"Accept": "application/json", **(headers or {})},
                )  # fmt: skip
            if got.status_code == httpx2.codes.OK:
                self._answered = True
                return got.content
            raise self._meaning(got, key)

        content = waited(self._repeated(attempt, server_of(url)))
        try:
            return decode(content, answer)
        except msgspec.DecodeError as error:
            seen = spoken(content, key)
            raise ClaimError(f"{self.name}: not the documented answer ({error}): {seen}") from None

    async def _repeated(self, attempt: Callable[[], Awaitable[bytes]], server: str) -> bytes:
        retrying = AsyncRetrying(
            sleep=sleep,
            retry=retry_if_exception_type(_TryAgain),
            stop=stop_after_attempt(ATTEMPTS),
            wait=_pause,
            reraise=True,
        )
        try:
            content: bytes = await retrying(self._connected, attempt, server)
        except _TryAgain as error:
            raise error.final from None
        return content

    async def _connected(self, attempt: Callable[[], Awaitable[bytes]], server: str) -> bytes:
        """One attempt; the client's errors hold the URL, and with it the key, so that their text is not told."""
        try:
            return await attempt()
        except httpx2.TimeoutException:
            raise _TryAgain(self._slow()) from None
        except TooLargeError as error:
            raise ClaimError(f"{self.name}: {error}") from None
        except (httpx2.RequestError, httpx2.InvalidURL) as error:
            if isinstance(error, httpx2.NetworkError) or "without sending a response" in str(error):
                story = f"{self.name}: the server cannot be reached: {server} ({type(error).__name__})"
                raise _TryAgain(NetworkError(f"{story}; {LATER}")) from None
            raise _TryAgain(ClaimError(f"{self.name}: no whole answer ({type(error).__name__})")) from None

    def _slow(self) -> ClaimError:
        return ClaimError(f"{self.name}: no answer within {self._timeout:g} s")

    def _meaning(self, got: httpx2.Response, key: str) -> Exception:
        """The error to raise for an answer that is not 200."""
        story = f"{self.name}: HTTP {got.status_code}: {spoken(got.content, key)}"
        fault = self._fault(got.status_code, got.text) or USUAL.get(got.status_code, Fault.QUERY)
        if fault is Fault.KEY:
            return InputError(f"{story} ({self._refused})")
        if fault is Fault.QUOTA:
            return NetworkError(f"{story} (the quota is used up); {LATER}")
        pause = seconds_to_wait(got.headers.get("Retry-After", ""))
        if fault is Fault.BUSY:
            busy = NetworkError(f"{story}; {LATER}")
            return busy if pause is not None and pause > PATIENCE else _TryAgain(busy, pause)
        if not self._answered and is_refusal(got.status_code):
            return InputError(f"{story} ({FIRST})")
        failed = ClaimError(story)
        passing = got.status_code >= 500 or got.status_code == httpx2.codes.REQUEST_TIMEOUT
        return _TryAgain(failed, None if pause is None else min(pause, PATIENCE)) if passing else failed


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome is not None else None
    if isinstance(error, _TryAgain) and error.pause is not None:
        return error.pause
    return wait_exponential_jitter(multiplier=FIRST_PAUSE, max=LONGEST_PAUSE, jitter=FIRST_PAUSE)(state)
