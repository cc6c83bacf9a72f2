"""Certificates: good ones are taken, and every kind of bad one is told."""

import ssl
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import HTML
from tests.retrieval.web.fetching import RETRYING, fetch, names

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
    ("issue", "said"),
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
    issue: Callable[[trustme.CA], trustme.LeafCert], said: str, authority: trustme.CA, tmp_path: Path
) -> None:
    with serving(issue(authority)) as server:
        download = fetch(server.url("good", host="good.test"), tmp_path / "page", RETRYING, LOOKUP)
        assert not server.requests
    assert (download.reason, download.attempts, download.transient) == (said, 1, False)
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
