"""Error of a refused request. This module loads no web framework."""

from collections.abc import Mapping

from src.errors import InputError


class RefusedError(InputError):
    """Raised when a request is refused for its form, its size or a full queue. Has an HTTP `status` and `headers`.

    An error in the content of a request is a plain InputError.
    """

    def __init__(self, message: str, *, status: int, field: str = "", headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.headers = headers
        super().__init__(message, field=field)
