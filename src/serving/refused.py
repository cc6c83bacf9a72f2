"""Error of a request that is refused, apart from its content. Loads no web framework."""

from collections.abc import Mapping

from src.errors import InputError


class RefusedError(InputError):
    """Raised when a request is refused for its form, its size or a full queue; has an HTTP `status` and `headers`.

    An error in a request's content is a plain InputError.
    """

    def __init__(self, message: str, *, status: int, field: str = "", headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.headers = headers
        super().__init__(message, field=field)
