"""Limits of downloads, the user agent, and the result of a download."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.errors import InputError

USER_AGENT = "AVeriTeC-pipeline/0.1 (+fact-checking research)"


@dataclass(frozen=True)
class Limits:
    """Limits of downloads; times in seconds.

    `connect`: limit for name resolution, connecting and TLS handshake.
    `read`: longest wait for an answer or its next bytes.
    `deadline`: limit for all attempts, redirects and pauses of a URL together.
    `attempts`: number of attempts at a URL.
    `backoff`: first pause between attempts; it doubles with each attempt, plus jitter.
    `max_redirects`: number of redirects followed.
    `max_bytes`: largest body, as received and as decompressed.
    `user_agent`: User-Agent header, printable ASCII.
    `allow_private`: connect to addresses that are not public, too.
    `robots`: obey robots.txt.
    `open_files`: number of open sockets and files of all downloads of a Fetcher together.
    """

    connect: float = 5.0
    read: float = 10.0
    deadline: float = 30.0
    attempts: int = 3
    backoff: float = 0.5
    max_redirects: int = 10
    max_bytes: int = 20_000_000
    user_agent: str = USER_AGENT
    allow_private: bool = False
    robots: bool = False
    open_files: int = 4096

    def __post_init__(self) -> None:
        name = self.user_agent
        if not name.strip() or not name.isascii() or not name.isprintable():
            raise InputError(f"--user_agent must be printable ASCII, not {name!r}")

    @property
    def at_once(self) -> int:
        """Number of downloads that may run at once. Each has a socket and a file, and may try two addresses."""
        return max(1, self.open_files // 4)

    @property
    def kept_connections(self) -> int:
        """Number of open connections above which connections are closed after use."""
        return self.open_files // 2


class Download(msgspec.Struct, frozen=True):
    """Result of downloading one URL.

    `url`: URL as given.
    `final_url`: URL after redirects.
    `path`: file with the decompressed body, or None if there is none.
    `status`: last HTTP status, or None if no server answered.
    `bytes`, `sha256`: size and hash of the body.
    `content_type`: Content-Type header.
    `redirects`: number of redirects of the last attempt.
    `attempts`: number of attempts; 0 if no request was sent (invalid URL, or a pause that the server demanded).
    `seconds`: time for all attempts, in seconds.
    `fetched_at`: start of the download, UTC in ISO 8601.
    `reason`: why `path` is None, or "".
    `transient`: True if a later run may get the page (no connection, timeout, 429, 5xx).
    """

    url: str
    final_url: str
    path: Path | None = None
    status: int | None = None
    bytes: int = 0
    sha256: str = ""
    content_type: str = ""
    redirects: int = 0
    attempts: int = 0
    seconds: float = 0.0
    fetched_at: str = ""
    reason: str = ""
    transient: bool = False
