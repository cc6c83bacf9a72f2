"""What a download may cost, and the name it goes by."""

from dataclasses import dataclass

from src.errors import InputError

USER_AGENT = "AVeriTeC-pipeline/0.1 (+fact-checking research)"


@dataclass(frozen=True)
class Limits:
    """Bounds on the download of one URL; times in seconds.

    `connect` covers looking the name up, connecting and the TLS handshake; `read` is the longest silence while waiting
    for an answer or its next bytes; `deadline` covers everything, all attempts, redirects and pauses together. A pause
    starts at `backoff` and doubles with each attempt, jitter on top. `max_bytes` bounds what is received as well as
    what it decompresses to. `allow_private` also lets addresses through that are not public.

    `open_files` is for all downloads of a Fetcher together: the sockets and files that they may have open.
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
        """Downloads that may run at once: each has its socket and its file, and may try two addresses."""
        return max(1, self.open_files // 4)

    @property
    def kept_connections(self) -> int:
        """Beyond this many open connections none is kept for another request."""
        return self.open_files // 2
