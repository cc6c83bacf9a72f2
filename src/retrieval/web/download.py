"""What fetching a URL gives."""

from pathlib import Path

import msgspec


class Download(msgspec.Struct, frozen=True):
    """One URL, fetched or not. `path` holds the body, decompressed; it is None exactly when `reason` says why.

    `status` is the last HTTP status (None when no server answered), `bytes` the length of the body, `content_type` the
    header as sent, `seconds` the whole time with all attempts, `fetched_at` UTC in ISO 8601. `attempts` is 0 where no
    request was due: no web address, or a server that asked to be left alone. `transient` says that another day may
    bring the page (no connection, time-outs, 429, 5xx).
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
