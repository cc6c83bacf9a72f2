"""A request that is refused for another reason than what it says: its form, its size, a queue that is full."""

from collections.abc import Mapping

from src.errors import InputError


class RefusedError(InputError):
    """`status` is that of HTTP, `headers` go with it. What is wrong with a request's content is a plain InputError."""

    def __init__(self, message: str, *, status: int, field: str = "", headers: Mapping[str, str] | None = None) -> None:
        self.status = status
        self.headers = headers
        super().__init__(message, field=field)
