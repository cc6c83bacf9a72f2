"""Pages that come, and answers that are none: status, bytes, hash, type, and what lies on the disk afterwards."""

import asyncio
import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from src.errors import InputError, OutputError
from src.retrieval.web.download import Limits
from src.retrieval.web.fetcher import USER_AGENT, Fetcher
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import HTML, answer
from tests.retrieval.web.fetching import PATIENT, fetch, fetch_all


def test_a_page_lies_in_its_file_with_all_that_is_known_of_it(server: FaultServer, tmp_path: Path) -> None:
    path = tmp_path / "page"
    download = fetch(server.url("good"), path)
    assert path.read_bytes() == HTML
    assert (download.path, download.reason, download.transient) == (path, "", False)
    assert (download.url, download.final_url) == (server.url("good"), server.url("good"))
    assert (download.status, download.bytes, download.attempts, download.redirects) == (200, len(HTML), 1, 0)
    assert download.sha256 == hashlib.sha256(HTML).hexdigest()
    assert download.content_type == "text/html; charset=utf-8"
    assert download.seconds > 0
    assert datetime.now(UTC) - datetime.fromisoformat(download.fetched_at) < timedelta(minutes=5)
    assert [file.name for file in tmp_path.iterdir()] == ["page"]


@pytest.mark.parametrize(
    "name",
    ["203", "gzip", "x-gzip", "deflate", "raw-deflate", "br", "br-in-gzip", "long-body", "until-closed"],
)
def test_the_same_page_in_every_wrapping(name: str, server: FaultServer, tmp_path: Path) -> None:
    download = fetch(server.url(name), tmp_path / "page")
    assert (download.reason, download.bytes) == ("", len(HTML))
    assert (tmp_path / "page").read_bytes() == HTML


def test_a_large_page_is_whole(server: FaultServer, tmp_path: Path) -> None:
    body = bytes(range(256)) * 20_000
    url = server.answer("large", answer(body))
    download = fetch(url, tmp_path / "page")
    assert (download.bytes, download.sha256) == (len(body), hashlib.sha256(body).hexdigest())
    assert (tmp_path / "page").read_bytes() == body


@pytest.mark.parametrize(
    ("name", "status", "reason", "transient"),
    [
        ("403", 403, "HTTP 403", False),
        ("404", 404, "HTTP 404", False),
        ("410", 410, "HTTP 410", False),
        ("206", 206, "HTTP 206", False),
        ("204", 204, "HTTP 204", False),
        ("500", 500, "HTTP 500", True),
        ("503", 503, "HTTP 503", True),
        ("429", 429, "HTTP 429", True),
        ("empty", 200, "empty body", False),
    ],
)
def test_answers_without_a_page(
    name: str, status: int, reason: str, transient: bool, server: FaultServer, tmp_path: Path
) -> None:
    download = fetch(server.url(name), tmp_path / "page")
    assert (download.status, download.reason, download.transient) == (status, reason, transient)
    assert (download.path, download.bytes, download.sha256) == (None, 0, "")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("ftp://example.org/x", "not a web address: ftp"),
        ("file:///etc/passwd", "not a web address: file"),
        ("javascript:alert(1)", "not a web address: javascript"),
        ("www.example.org", "not a web address: no scheme"),
        ("", "not a web address: no scheme"),
        ("http://", "not a web address: no host"),
    ],
)
def test_invalid_urls_are_never_requested(url: str, reason: str, tmp_path: Path) -> None:
    download = fetch(url, tmp_path / "page")
    assert (download.reason, download.attempts, download.status, download.transient) == (reason, 0, None, False)
    assert download.final_url == url


def test_the_request_has_the_user_agent(server: FaultServer, tmp_path: Path) -> None:
    fetch(server.answer("who", answer()) + "#part", tmp_path / "page")
    line, *fields = server.heads["who"][0].rstrip().split("\r\n")
    assert line == "GET /who HTTP/1.1"
    headers = dict(field.split(": ", 1) for field in fields)
    assert headers.pop("Host") == f"127.0.0.1:{server.port}"
    assert headers.pop("User-Agent") == USER_AGENT
    assert headers.pop("Accept-Encoding") == "gzip, deflate, br"
    assert headers.keys() == {"Accept", "Accept-Language"}


def test_another_user_agent_and_no_credentials(server: FaultServer, tmp_path: Path) -> None:
    url = server.answer("named", answer()).replace("http://", "http://user:secret@")
    download = fetch(url, tmp_path / "page", replace(PATIENT, user_agent="Other/2"))
    head = server.heads["named"][0]
    assert "User-Agent: Other/2\r\n" in head
    assert "authorization" not in head.lower()
    assert "secret" not in download.final_url


def test_cookies_are_not_sent_back(server: FaultServer, tmp_path: Path) -> None:
    url = server.answer("cookie", answer(Set_Cookie="seen=1"))
    fetch_all([url, url], tmp_path / "page")
    assert "cookie:" not in server.heads["cookie"][1].lower()


def test_proxies_of_the_environment_are_not_used(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert fetch(server.url("good"), tmp_path / "page").reason == ""


def test_many_at_once_share_connections(server: FaultServer, tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with Fetcher(PATIENT) as fetcher:
            fetches = [fetcher.fetch(server.url("good"), tmp_path / str(number)) for number in range(200)]
            return [download.reason for download in await asyncio.gather(*fetches)]

    assert asyncio.run(run()) == [""] * 200
    assert len(list(tmp_path.iterdir())) == 200


def test_a_file_that_cannot_be_written_is_the_runs_trouble_not_the_urls(server: FaultServer, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"cannot write .*missing/page: No such file"):
        fetch(server.url("good"), tmp_path / "missing" / "page")


def test_what_was_in_the_file_stays_when_a_download_fails(server: FaultServer, tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_bytes(b"before")
    assert fetch(server.url("short-body"), path).path is None
    assert path.read_bytes() == b"before"


def test_a_cancelled_download_leaves_nothing(server: FaultServer, tmp_path: Path) -> None:
    async def run() -> None:
        async with Fetcher(PATIENT) as fetcher:
            task = asyncio.create_task(fetcher.fetch(server.url("endless"), tmp_path / "page"))
            while not list(tmp_path.iterdir()):
                await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

    asyncio.run(run())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["Two\nlines", "Tab\t1", "Prüfer/1.0", "", " ", "nul\0"])
def test_a_user_agent_that_no_request_can_carry(name: str) -> None:
    with pytest.raises(InputError, match="--user_agent must be printable ASCII, not '") as raised:
        Limits(user_agent=name)
    assert "\n" not in str(raised.value)
