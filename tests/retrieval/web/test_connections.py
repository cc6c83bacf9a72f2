"""Connections: certificates are checked, and no more sockets and files are open than were allowed."""

import asyncio
import errno
import os
import ssl
import threading
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from src.retrieval.web.download import Download
from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.session import ForgivingHandler
from src.retrieval.web.ssrf_guard import SsrfGuard
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import HTML
from tests.retrieval.web.fetching import HASTY, PATIENT, RETRYING, fetch, fetch_all, names

LOOKUP = names(good_test="127.0.0.1", other_test="127.0.0.1")
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def trusted(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system trusts the authority."""
    store = tmp_path_factory.mktemp("store") / "ca.pem"
    authority.cert_pem.write_to_path(str(store))
    monkeypatch.setenv("SSL_CERT_FILE", str(store))


def serving(certificate: trustme.LeafCert) -> FaultServer:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(context)
    return FaultServer(tls=context)


@pytest.mark.usefixtures("trusted")
def test_a_page_over_tls(authority: trustme.CA, tmp_path: Path) -> None:
    with serving(authority.issue_cert("good.test")) as server:
        download = fetch(server.url("good", host="good.test"), tmp_path / "page", RETRYING, LOOKUP)
    assert (download.reason, (tmp_path / "page").read_bytes()) == ("", HTML)


@pytest.mark.parametrize(
    ("issue", "reason"),
    [
        (lambda ca: ca.issue_cert("other.test"), "TLS: Hostname mismatch, certificate is not valid for 'good.test'"),
        (lambda ca: ca.issue_cert("good.test", not_after=LONG_AGO), "TLS: certificate has expired"),
        (
            lambda ca: trustme.CA().issue_cert("good.test"),
            "TLS: unable to get local issuer certificate",
        ),
    ],
    ids=["wrong host", "expired", "nobody vouches for it"],
)
@pytest.mark.usefixtures("trusted")
def test_bad_certificates(
    issue: Callable[[trustme.CA], trustme.LeafCert], reason: str, authority: trustme.CA, tmp_path: Path
) -> None:
    with serving(issue(authority)) as server:
        download = fetch(server.url("good", host="good.test"), tmp_path / "page", RETRYING, LOOKUP)
        assert not server.requests
    assert (download.reason, download.attempts, download.transient) == (reason, 1, False)
    assert list(tmp_path.iterdir()) == []


def test_tls_with_a_server_that_speaks_none(server: FaultServer, tmp_path: Path) -> None:
    url = server.url("good").replace("http://", "https://")
    server_before = server.requests.total()
    download = fetch(url, tmp_path / "page", RETRYING)
    assert download.reason.startswith("TLS: ")
    assert (download.attempts, server.requests.total()) == (1, server_before)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize(
    ("name", "reason"),
    [("short-body", "body cut short"), ("reset", "connection lost: connection reset by peer"), ("404", "HTTP 404")],
)
def test_faults_over_tls(name: str, reason: str, authority: trustme.CA, tmp_path: Path) -> None:
    with serving(authority.issue_cert("good.test")) as server:
        download = fetch(server.url(name, host="good.test"), tmp_path / "page", RETRYING, LOOKUP)
    assert download.reason == reason


EMFILE = OSError(errno.EMFILE, os.strerror(errno.EMFILE))


async def here(host: str) -> list[str]:
    return ["127.0.0.1"]


def peak_of_connections(server: FaultServer, path: Path, open_files: int) -> int:
    """The most connections there were while 200 hosts gave a page each, all at once."""
    peak = 0

    async def run() -> list[Download]:
        async with Fetcher(replace(PATIENT, open_files=open_files), here) as fetcher:

            async def one(number: int) -> Download:
                nonlocal peak
                download = await fetcher.fetch(server.url("good", f"{number}.test"), path / str(number))
                peak = max(peak, server.connections)
                return download

            return await asyncio.gather(*map(one, range(200)))

    assert {download.reason for download in asyncio.run(run())} == {""}
    return peak


def test_idle_connections_are_bounded_with_those_in_use(tmp_path: Path) -> None:
    with FaultServer() as server:
        assert peak_of_connections(server, tmp_path, 40) <= 40
    with FaultServer() as server:
        assert peak_of_connections(server, tmp_path, 4000) > 40


def test_the_least_there_can_be_is_enough(server: FaultServer, tmp_path: Path) -> None:
    downloads = fetch_all([server.url("good")] * 3, tmp_path / "page", replace(PATIENT, open_files=1))
    assert [download.reason for download in downloads] == ["", "", ""]


def test_waiting_for_a_place_is_not_part_of_the_deadline(server: FaultServer, tmp_path: Path) -> None:
    limits = replace(PATIENT, open_files=1, deadline=0.3)

    async def run() -> list[str]:
        async with Fetcher(limits) as fetcher:
            urls = [*[server.url("hang-before-headers")] * 3, server.url("good")]
            fetches = [fetcher.fetch(url, tmp_path / str(number)) for number, url in enumerate(urls)]
            return [download.reason for download in await asyncio.gather(*fetches)]

    assert asyncio.run(run()) == ["timeout: deadline of 0.3 s"] * 3 + [""]


def test_connections_are_of_our_own_kind(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[ForgivingHandler] = []
    lost: list[ForgivingHandler] = []
    made_before, lost_before = ForgivingHandler.connection_made, ForgivingHandler.connection_lost

    def connection_made(self: ForgivingHandler, transport: asyncio.BaseTransport) -> None:
        made.append(self)
        made_before(self, transport)

    def connection_lost(self: ForgivingHandler, error: BaseException | None) -> None:
        lost.append(self)
        lost_before(self, error)

    monkeypatch.setattr(ForgivingHandler, "connection_made", connection_made)
    monkeypatch.setattr(ForgivingHandler, "connection_lost", connection_lost)
    fetch_all([server.url("good"), server.url("good"), server.url("close"), server.url("good")], tmp_path / "page")
    assert len(made) == 2
    assert lost == made


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="open files are counted in /proc")
def test_a_silent_tls_server_keeps_no_file_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority, go_on = trustme.CA(), threading.Event()
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "ca.pem"))

    async def hang(head: str, out: asyncio.StreamWriter) -> None:
        go_on.wait()  # the whole server

    async def run() -> tuple[str, int]:
        async with Fetcher(HASTY, LOOKUP) as fetcher:
            before = len(os.listdir("/proc/self/fd"))
            download = await fetcher.fetch(url, tmp_path / "page")
            await asyncio.sleep(0.05)
            return download.reason, len(os.listdir("/proc/self/fd")) - before

    with serving(authority.issue_cert("good.test")) as server:
        server.answer("hang", hang)
        url = server.url("hang", host="good.test")
        try:
            assert asyncio.run(run()) == ("timeout: read", 1)  # the server's own end
        finally:
            go_on.set()


def test_no_file_left_for_a_socket(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def open_socket(self: SsrfGuard, info: object) -> None:
        raise EMFILE

    monkeypatch.setattr(SsrfGuard, "open_socket", open_socket)
    lookup = names(both_test="127.0.0.1 ::1")
    for url in (server.url("good"), server.url("good", "both.test")):
        download = fetch(url, tmp_path / "page", PATIENT, lookup)
        assert (download.reason, download.transient) == ("no connection: too many open files", True)


def test_no_file_left_for_a_body(server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    left = [EMFILE, EMFILE]
    path_open = Path.open

    def opening(self: Path, mode: str = "r") -> object:
        if left and self.name.endswith(".part"):
            raise left.pop()
        return path_open(self, mode)

    monkeypatch.setattr(Path, "open", opening)
    download = fetch(server.url("good"), tmp_path / "page")
    assert (download.reason, download.transient, download.path) == ("too many open files", True, None)
    download = fetch(server.url("good"), tmp_path / "page", RETRYING)
    assert (download.reason, download.attempts, (tmp_path / "page").read_bytes()) == ("", 2, HTML)
