"""Bodies that do not arrive, are too long or of another kind; addresses."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.requests import Request

from src.errors import InputError
from src.serving import requests as received
from src.serving.refused import RefusedError
from src.serving.requests import check_origin, check_type, read_body
from src.serving.run import check_address, check_names

Receive = Callable[[], Awaitable[dict[str, Any]]]


async def never() -> dict[str, Any]:
    await asyncio.sleep(60)
    return {}


def request(headers: dict[str, str], receive: Receive = never) -> Request:
    named = [(name.encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": "http", "method": "POST", "headers": [(b"host", b"127.0.0.1:8"), *named]}
    return Request(scope, receive)


async def gone() -> dict[str, Any]:
    return {"type": "http.disconnect"}


async def endless() -> dict[str, Any]:
    return {"type": "http.request", "body": b"x" * 10, "more_body": True}


@pytest.mark.parametrize(
    ("receive", "status", "message"),
    [
        (never, 408, "field body: did not arrive in 0 s"),
        (gone, 400, "field body: was broken off"),
        (endless, 413, "field body: longer than 25 bytes"),
    ],
)
def test_a_body_that_does_not_end_is_refused(
    receive: Receive, status: int, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(received, "SECONDS", 0.01)
    with pytest.raises(RefusedError, match=message) as caught:
        asyncio.run(read_body(request({}, receive), 25))
    assert caught.value.status == status


@pytest.mark.parametrize("kind", ["application/json", "Application/JSON; charset=utf-8"])
def test_a_media_type_may_have_parameters(kind: str) -> None:
    check_type(request({"content-type": kind}), "application/json")
    with pytest.raises(RefusedError, match="field content-type: must be text/plain, not application/json"):
        check_type(request({"content-type": kind}), "text/plain")
    with pytest.raises(RefusedError, match="field content-type: must be application/json, not missing"):
        check_type(request({}), "application/json")


@pytest.mark.parametrize(
    ("headers", "is_ours"),
    [
        ({}, True),
        ({"origin": "http://127.0.0.1:8"}, True),
        ({"origin": "https://127.0.0.1:8"}, True),
        ({"origin": "https://evil.example"}, False),
        ({"sec-fetch-site": "none"}, True),
        ({"origin": "http://127.0.0.1:8", "sec-fetch-site": "same-origin"}, True),
        ({"origin": "http://127.0.0.1:8", "sec-fetch-site": "cross-site"}, False),
        ({"origin": "http://127.0.0.1"}, False),
        ({"origin": "null", "sec-fetch-site": "same-origin"}, False),
    ],
)
def test_only_our_own_pages_and_no_page_at_all_may_send(headers: dict[str, str], is_ours: bool) -> None:
    if is_ours:
        check_origin(request(headers), "not you")
    else:
        with pytest.raises(HTTPException, match="403: not you"):
            check_origin(request(headers), "not you")


@pytest.mark.parametrize("address", ["127.0.0.1", "127.9.9.9", "::1"])
def test_an_address_of_this_machine_alone_needs_no_warning(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    check_address("here", address, "rate")
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("address", ["192.168.0.7", "2001:db8::7", "fe80::7%eth0"])
def test_an_address_that_others_reach_is_warned_of_in_one_line(
    address: str, capsys: pytest.CaptureFixture[str]
) -> None:
    check_address("desk.example", address, "rate")
    output = capsys.readouterr()
    assert output.err.startswith("--host desk.example: whoever has the password can rate; over plain http")
    assert (output.out, output.err.count("\n")) == ("", 1)


@pytest.mark.parametrize(("names", "is_reached"), [(["facts.example"], True), (["localhost", "127.0.0.1"], False)])
def test_behind_a_proxy_others_reach_loopback(names: list[str], is_reached: bool) -> None:
    assert check_address("127.0.0.1", "127.0.0.1", "rate", names) is is_reached


def test_every_address_at_once_may_be_served_by_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert check_address("0.0.0.0", "0.0.0.0", "rate", ["127.0.0.1"])
    assert "whoever has the password" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["facts.example", "Facts-1.Example", "search_page", "127.0.0.1", "[::1]", "::1"])
def test_a_name_of_the_server_is_a_host(name: str) -> None:
    check_names([name])


@pytest.mark.parametrize("name", ["*", "a*b", "*.example", "", "a b", "facts.example:8020", "http://a.example", "å.no"])
def test_a_name_that_is_no_host_is_refused(name: str) -> None:
    with pytest.raises(InputError, match=re.escape(f"--names {name!r} is no host name")):
        check_names(["facts.example", name])


@pytest.mark.parametrize("address", ["0.0.0.0", "::"])
def test_every_address_at_once_is_refused(address: str) -> None:
    with pytest.raises(InputError, match="--host anywhere: name the one address that browsers are to ask"):
        check_address("anywhere", address, "rate")
