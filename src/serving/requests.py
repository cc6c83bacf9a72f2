"""Readers of requests with limits, and the check that a request is not from a page of another site."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from src.errors import InputError
from src.json_decoding import decode
from src.serving.refused import RefusedError
from src.shape_error import shape_error

JSON = "application/json"
SECONDS = 20.0  # for a body to arrive

T = TypeVar("T")


async def read_json(
    request: Request, shape: type[T], longest: int, prepared: Callable[[bytes], bytes] = lambda body: body
) -> T:
    """Return the JSON body of a request, of at most `longest` bytes, decoded to `shape`.

    `prepared`: function that replaces former names in the body.

    Raises InputError for wrong content, RefusedError for a body that is not JSON, too long, too slow, or of another
    type.
    """
    check_type(request, JSON)
    body = prepared(await read_body(request, longest))
    try:
        return decode(body, shape)
    except msgspec.DecodeError as error:
        wrong = shape_error(error, Path("body"), 1, shape)
        if isinstance(error, msgspec.ValidationError):
            raise InputError(wrong.message, field=wrong.field) from None
        raise RefusedError(wrong.message, status=400, field=wrong.field) from None


def check_origin(request: Request, message: str) -> None:
    """Raise HTTPException 403 with this message if a page of another site has sent the request.

    Behind a proxy with TLS the own site begins with https.
    """
    origin, site = request.headers.get("origin"), request.headers.get("sec-fetch-site", "none")
    host = request.headers["host"]
    if origin not in (None, f"http://{host}", f"https://{host}") or site not in ("none", "same-origin"):
        raise HTTPException(403, message)


def check_type(request: Request, media_type: str) -> None:
    """Raise RefusedError if the request's content type is not `media_type`."""
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent != media_type:
        raise RefusedError(f"must be {media_type}, not {sent[:80] or 'missing'}", status=415, field="content-type")


async def read_body(request: Request, longest: int) -> bytes:
    """Return the body of a request; its bytes are counted, whatever Content-Length says.

    Raises RefusedError when it is longer than `longest` bytes, too slow, or incomplete.
    """
    body = bytearray()
    try:
        async with asyncio.timeout(SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > longest:
                    raise RefusedError(f"longer than {longest} bytes", status=413, field="body")
    except TimeoutError:
        raise RefusedError(f"did not arrive in {SECONDS:.0f} s", status=408, field="body") from None
    except ClientDisconnect:
        raise RefusedError("was broken off", status=400, field="body") from None
    return bytes(body)


def query_number(request: Request, name: str, type_: object, default: int) -> int:
    """Return the parameter `name` of the URL's query as a number. Raises InputError if it is not of `type_`."""
    try:
        value: int = msgspec.convert(request.query_params.get(name, str(default)), type_, strict=False)
    except msgspec.ValidationError as error:
        raise InputError(str(error), field=name) from None
    return value
