"""Error for a request that is refused for a reason other than its content: its form, its size, a full queue."""

from collections.abc import Mapping

from src.errors import InputError


class RefusedError(InputError):
    """Raised with an HTTP `status` and extra `headers`. An error in a request's content is a plain InputError."""

    def __init__(self, message: str, *, status: int, field: str = "", headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.headers = headers
        super().__init__(message, field=field)
