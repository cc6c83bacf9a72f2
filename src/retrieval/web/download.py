"""A download: its limits, its user agent, and its result."""

from dataclasses import dataclass
from pathlib import Path

import msgspec

from src.errors import InputError

USER_AGENT = "AVeriTeC-pipeline/0.1 (+fact-checking research)"


@dataclass(frozen=True)
class Limits:
    """Bounds on the download of one URL; times in seconds.

    `connect` covers name resolution, connecting and the TLS handshake. `read` is the longest silence while waiting for
    an answer or its next bytes. `deadline` covers all attempts, redirects and pauses together. A pause starts at
    `backoff` and doubles with each attempt, plus jitter. `max_bytes` bounds the received bytes as well as the
    decompressed ones. `allow_private` also permits addresses that are not public.

    `open_files` bounds the open sockets and files of all downloads of a Fetcher together.
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
        """Number of downloads that may run at once: each has a socket and a file, and may try two addresses."""
        return max(1, self.open_files // 4)

    @property
    def kept_connections(self) -> int:
        """Number of open connections beyond which none is kept for another request."""
        return self.open_files // 2


class Download(msgspec.Struct, frozen=True):
    """Result of fetching one URL. `path` holds the decompressed body; it is None exactly when `reason` says why.

    `status` is the last HTTP status (None when no server answered), `bytes` the length of the body, and `content_type`
    the header as sent. `seconds` is the whole time with all attempts, `fetched_at` UTC in ISO 8601. `attempts` is 0
    where no request was sent: no web address, or a server that asked for a pause. `transient`: a later run may get the
    page (no connection, timeouts, 429, 5xx).
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
