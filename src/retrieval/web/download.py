"""Record of a fetched URL."""

from pathlib import Path

import msgspec


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
