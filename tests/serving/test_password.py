"""The password of a server that other machines can reach."""

import asyncio
import base64
import os
import re
import socket
from pathlib import Path

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from src.errors import InputError
from src.serving import password
from src.serving.password import own_password, password_of, protected
from src.serving.run import secured
from tests.serving.served import served

SECRET = "swörd-fish"


def page(request: Request) -> Response:
    return PlainTextResponse("eels")


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    monkeypatch.setattr(password, "PAUSE", 0.0)
    return TestClient(protected(Starlette(routes=[Route("/", page)]), SECRET))


def basic(user: str, word: str) -> str:
    return f"Basic {base64.b64encode(f'{user}:{word}'.encode()).decode()}"


@pytest.mark.parametrize("user", ["", "ann"])
def test_the_password_opens_with_any_user_name(client: TestClient, user: str) -> None:
    assert client.get("/", headers={"Authorization": basic(user, SECRET)}).text == "eels"
    assert client.get("/", headers=[(b"Authorization", f"Bearer {SECRET}".encode())]).text == "eels"
    assert client.get("/", headers={"Authorization": "Bearer ascii-only"}).status_code == 401


def test_the_password_may_have_a_colon() -> None:
    client = TestClient(protected(Starlette(routes=[Route("/", page)]), "sword:fish"))
    assert client.get("/", headers={"Authorization": basic("ann", "sword:fish")}).text == "eels"


def test_programs_send_it_as_a_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(password, "PAUSE", 0.0)
    client = TestClient(protected(Starlette(routes=[Route("/", page)]), "swordfish"))
    assert client.get("/", headers={"Authorization": "Bearer swordfish"}).text == "eels"
    assert client.get("/", headers={"Authorization": "bearer swordfish"}).text == "eels"


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Basic",
        "Basic ???",
        "Basic YQ==",
        basic("a", "wrong"),
        basic(SECRET, ""),
        "Bearer",
        "Bearer wrong",
        "Digest x",
    ],
)
def test_nothing_else_does(client: TestClient, header: str) -> None:
    answer = client.get("/", headers={"Authorization": header} if header else {})
    assert (answer.status_code, answer.text) == (401, "a password is needed")
    assert answer.headers["www-authenticate"].startswith("Basic realm=")


def test_a_wrong_password_waits_and_none_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(password, "sleep", sleep)
    client = TestClient(protected(Starlette(routes=[Route("/", page)]), SECRET))
    client.get("/")
    assert slept == []
    client.get("/", headers={"Authorization": basic("a", "wrong")})
    assert slept == [password.PAUSE]


def test_wrong_passwords_hold_few_connections_and_the_right_one_opens_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app = protected(Starlette(routes=[Route("/", page)]), SECRET)

    async def flooded() -> tuple[list[httpx2.Response], httpx2.Response]:
        over = asyncio.Event()

        async def sleep(_: float) -> None:
            await over.wait()

        monkeypatch.setattr(password, "sleep", sleep)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://127.0.0.1") as client:
            wrong = [asyncio.create_task(client.get("/", auth=("ann", "wrong"))) for _ in range(30)]
            async with asyncio.timeout(30):
                await asyncio.wait(wrong[password.MOST_PAUSES :])
                right = await client.get("/", auth=("ann", SECRET))
                over.set()
                return await asyncio.gather(*wrong), right

    wrong, right = asyncio.run(flooded())
    assert [one.status_code for one in wrong] == [401] * 5 + [429] * 25
    assert (wrong[-1].headers["connection"], wrong[-1].headers["retry-after"]) == ("close", "1")
    assert right.text == "eels"


@pytest.mark.parametrize(
    ("path", "host", "status"),
    [("/", "127.0.0.1", 401), ("/", "evil.example", 400), ("/health", "evil.example", 200)],
)
def test_what_comes_before_the_password_has_the_headers_of_every_response(path: str, host: str, status: int) -> None:
    app = secured(Starlette(routes=[Route("/", page)]), ["127.0.0.1"], SECRET)
    answer = TestClient(app, base_url="http://127.0.0.1").get(path, headers={"Host": host})
    assert answer.status_code == status
    assert (answer.headers["x-content-type-options"], answer.headers["cache-control"]) == ("nosniff", "no-store")
    assert answer.headers["content-security-policy"].startswith("default-src 'none';")


def test_a_password_is_made_where_one_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SERVE_PASSWORD", raising=False)
    assert password_of(is_needed=False) == ""
    first, second = password_of(is_needed=True), password_of(is_needed=True)
    assert len(first) >= 16
    assert first != second
    monkeypatch.setenv("SERVE_PASSWORD", "   ")
    assert (own_password(), password_of(is_needed=False)) == ("", "")
    assert len(password_of(is_needed=True)) >= 16
    monkeypatch.setenv("SERVE_PASSWORD", "swordfish")
    assert {password_of(is_needed=one) for one in (True, False)} == {"swordfish"}
    monkeypatch.setenv("SERVE_PASSWORD", "short")
    with pytest.raises(InputError, match="SERVE_PASSWORD has fewer than 8 characters"):
        password_of(is_needed=False)


def own_address() -> str:
    """Return an address of this machine that others can reach; skip the test if there is none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        try:
            one.connect(("192.0.2.1", 9))  # nothing is sent
            address: str = one.getsockname()[0]
        except OSError:
            address = "127.0.0.1"
    if address.startswith("127."):
        pytest.skip("this machine has no address but loopback")
    return address


@pytest.mark.long
@pytest.mark.parametrize("own", ["", "   ", "swordfish"])
def test_the_served_page_asks_for_it_on_an_address_of_the_network(project_root: Path, tmp_path: Path, own: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "SERVE_PASSWORD"}
    flags = ("--host", own_address(), "--port", "0", "--history", str(tmp_path / "checks"))
    environment |= {"SERVE_PASSWORD": own} if own else {}
    is_own = bool(own.strip())
    with served(project_root, "src.report.serve", *flags, environment=environment) as (address, process):
        assert process.stdout is not None
        process.stdout.readline()
        line = process.stdout.readline().strip()
        found = re.fullmatch(r"password: (.+) \(any user name\)", line)
        assert found, line
        assert (found[1] == "that of SERVE_PASSWORD") is is_own
        for path in ("", "api/checks", "openapi.json"):
            assert httpx2.get(f"{address}{path}").status_code == 401
        assert httpx2.get(address, auth=("ann", own if is_own else found[1])).status_code == 200


@pytest.mark.long
def test_in_a_container_the_page_is_asked_by_its_names_and_its_health_by_nobody_in_particular(
    project_root: Path, tmp_path: Path
) -> None:
    flags = ("--host", "0.0.0.0", "--names", "127.0.0.1", "facts.example", "--port", "0", "--history", str(tmp_path))
    with served(project_root, "src.report.serve", *flags, environment=os.environ | {"SERVE_PASSWORD": "swordfish"}) as (
        address,
        _,
    ):
        home = address.replace("0.0.0.0", "127.0.0.1")
        answer = httpx2.get(f"{home}health")
        assert (answer.status_code, answer.text) == (200, "here")
        assert httpx2.get(home).status_code == 401
        for host, code in (("127.0.0.1", 200), ("facts.example", 200), ("evil.example", 400)):
            asked = httpx2.get(home, auth=("ann", "swordfish"), headers={"Host": host})
            assert asked.status_code == code
