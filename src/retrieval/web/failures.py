"""Reasons for failed downloads, as phrases for the log, and whether another attempt is worthwhile."""

import os
import ssl
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp

from src.errors import FactCheckError

TOO_LARGE = ("Got more than", "Too many headers")  # messages of aiohttp's parser


class FetchFailed(Exception):  # noqa: N818 - what it says
    """Raised when an attempt to download a URL failed.

    `reason`: phrase for the log.
    `transient`: True if a later run may succeed; by default False.
    `retry`: True if another attempt in this run may succeed, too; always False if not `transient`.
    `retry_after`: pause that the server demanded by Retry-After, in seconds, or None.
    """

    def __init__(
        self, reason: str, *, transient: bool = False, retry: bool = True, retry_after: float | None = None
    ) -> None:
        super().__init__(reason)
        self.reason = reason
        self.transient = transient
        self.retry = transient and retry
        self.retry_after = retry_after

    def again(self) -> "FetchFailed":
        """Return a copy of a stored exception, to raise it again without the old traceback."""
        return FetchFailed(self.reason, transient=self.transient, retry=self.retry, retry_after=self.retry_after)


@contextmanager
def as_failures() -> Iterator[None]:
    """Convert errors inside the block, such as those of the network and the HTTP client, to FetchFailed.

    Errors of the class FactCheckError are not converted.
    """
    try:
        yield
    except (FetchFailed, FactCheckError):
        raise
    except Exception as error:
        raise failure_of(error) from error


def too_large(max_bytes: int) -> FetchFailed:
    """Return the failure of a body that has more than `max_bytes`."""
    return FetchFailed(f"too large: more than {max_bytes:,} bytes")


def cut_short() -> FetchFailed:
    """Return the failure of a body that ended too early."""
    return FetchFailed("body cut short", transient=True)


def failure_of(error: Exception) -> FetchFailed:
    """Return the FetchFailed for an error of the HTTP client or of a socket."""
    match error:
        case aiohttp.ConnectionTimeoutError():
            return FetchFailed("timeout: connect", transient=True)
        case TimeoutError():
            return FetchFailed("timeout: read", transient=True)
        case aiohttp.ClientConnectorCertificateError(certificate_error=problem):
            return FetchFailed(f"TLS: {_certificate_problem(problem)}")
        case aiohttp.ClientSSLError() | ssl.SSLError():
            return FetchFailed(f"TLS: {_tls_problem(error)}")
        case aiohttp.ClientConnectorError():
            return FetchFailed(f"no connection: {_message(error)}", transient=True)
        case aiohttp.ClientPayloadError():
            return cut_short()
        case aiohttp.ClientResponseError(message=message):
            return FetchFailed("headers too large" if message.startswith(TOO_LARGE) else "not HTTP")
        case aiohttp.InvalidURL() | ValueError():
            return FetchFailed("not a web address: refused by the HTTP client")
        case aiohttp.ServerDisconnectedError():
            return FetchFailed("connection closed without an answer", transient=True)
        case aiohttp.ClientError() | OSError():
            return FetchFailed(f"connection lost: {_message(error)}", transient=True)
    return FetchFailed(f"unexpected: {type(error).__name__}: {_message(error)}")


def _certificate_problem(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return error.verify_message.rstrip(".")
    return _message(error)


def _tls_problem(error: Exception) -> str:
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    words = inner.reason if isinstance(inner, ssl.SSLError) else ""
    return words.replace("_", " ").lower() if words else "handshake failed"


def _message(error: Exception) -> str:
    """Return the operating system's message for the error, else the error's own text, on one line and shortened."""
    inner = error.os_error if isinstance(error, aiohttp.ClientConnectorError) else error
    words = str(inner)
    if isinstance(inner, OSError) and inner.errno and "SSL" not in words:
        words = os.strerror(inner.errno)
    return " ".join(words.split())[:120].lower() or type(inner).__name__
