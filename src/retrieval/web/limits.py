"""What a download may cost, and the name it goes by."""

from dataclasses import dataclass

USER_AGENT = "AVeriTeC-pipeline/0.1 (+fact-checking research)"


@dataclass(frozen=True)
class Limits:
    """Bounds on the download of one URL; times in seconds.

    `connect` covers looking the name up, connecting and the TLS handshake; `read` is the longest silence while waiting
    for an answer or its next bytes; `deadline` covers everything, all attempts, redirects and pauses together. A pause
    starts at `backoff` and doubles with each attempt, jitter on top. `max_bytes` bounds what is received as well as
    what it decompresses to. `allow_private` also lets addresses through that are not public.
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
