"""How often a server is asked, and how long it is left alone in between."""

import asyncio
from dataclasses import replace
from email.utils import formatdate
from pathlib import Path
from time import monotonic, time

import pytest

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.limits import Limits
from src.retrieval.web.retries import seconds_to_wait, with_retries
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS, HTML, answer
from tests.retrieval.web.fetching import RETRYING, fetch

BUSY = answer(status="503 Service Unavailable")


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses between attempts, none of which is made: the clock is put forward."""
    made: list[float] = []

    async def note(seconds: float) -> None:
        made.append(seconds)

    monkeypatch.setattr("src.retrieval.web.retries.sleep", note)
    monkeypatch.setattr("src.retrieval.web.rate_limit.monotonic", lambda: monotonic() + sum(made))
    return made


@pytest.mark.parametrize("fault", ["503", "500", "429", "reset", "close", "short-body", "torn-chunk"])
def test_a_good_answer_after_a_transient_fault(fault: str, server: FaultServer, tmp_path: Path) -> None:
    name = f"{fault}-then-good"
    download = fetch(server.answer(name, FAULTS[fault], answer()), tmp_path / "page", RETRYING)
    assert (download.reason, download.attempts, server.requests[name]) == ("", 2, 2)
    assert (tmp_path / "page").read_bytes() == HTML


@pytest.mark.parametrize("name", ["500", "503", "429", "reset", "short-body"])
def test_no_more_attempts_than_allowed(name: str, server: FaultServer, tmp_path: Path) -> None:
    before = server.requests[name]
    download = fetch(server.url(name), tmp_path / "page", RETRYING)
    assert (download.attempts, server.requests[name] - before, download.transient) == (3, 3, True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["404", "403", "empty", "garbage", "200-megabytes", "not-gzip", "zstd"])
def test_what_will_not_change_is_asked_once(name: str, server: FaultServer, tmp_path: Path) -> None:
    before = server.requests[name]
    limits = replace(RETRYING, max_bytes=1_000_000)
    download = fetch(server.url(name), tmp_path / "page", limits)
    assert (download.attempts, server.requests[name] - before, download.transient) == (1, 1, False)


@pytest.mark.parametrize("status", ["429 Too Many Requests", "503 Service Unavailable"])
def test_retry_after_is_obeyed(status: str, server: FaultServer, tmp_path: Path, pauses: list[float]) -> None:
    name = f"after-{status[:3]}"
    download = fetch(server.answer(name, answer(status=status, Retry_After="7"), answer()), tmp_path / "page", RETRYING)
    assert (download.reason, server.requests[name]) == ("", 2)
    assert pauses == [7.0]


def test_retry_after_as_a_date_is_obeyed(server: FaultServer, tmp_path: Path, pauses: list[float]) -> None:
    later = formatdate(time() + 20, usegmt=True)
    url = server.answer("after-date", answer(status="429 Too Many Requests", Retry_After=later), answer())
    assert fetch(url, tmp_path / "page", RETRYING).reason == ""
    assert 10 < pauses[0] <= 20


def test_a_pause_beyond_the_deadline_is_not_begun(server: FaultServer, tmp_path: Path, pauses: list[float]) -> None:
    download = fetch(server.url("429-in-an-hour"), tmp_path / "page", RETRYING)
    assert (download.reason, download.transient) == ("HTTP 429, Retry-After 3600 s", True)
    assert server.requests["429-in-an-hour"] == 1
    assert pauses == []


def test_retry_after_means_nothing_on_other_answers(server: FaultServer, tmp_path: Path) -> None:
    url = server.answer("500-later", answer(status="500 Oops", Retry_After="3600"), answer())
    assert fetch(url, tmp_path / "page", RETRYING).attempts == 2


def test_pauses_double_with_jitter(pauses: list[float]) -> None:
    async def fails() -> None:
        raise FetchFailed("HTTP 500", transient=True)

    with pytest.raises(FetchFailed, match="HTTP 500"):
        asyncio.run(with_retries(Limits(attempts=5, deadline=1000), fails))
    assert len(pauses) == 4
    for number, pause in enumerate(pauses):
        assert 0.5 * 2**number <= pause <= 0.5 * 2**number + 0.5
    assert len(set(pauses)) == 4


def test_the_deadline_covers_all_attempts(server: FaultServer, tmp_path: Path) -> None:
    limits = replace(RETRYING, attempts=1000, read=0.1, deadline=0.5)
    download = fetch(server.url("hang-before-headers"), tmp_path / "page", limits)
    assert download.reason in {"timeout: deadline of 0.5 s", "timeout: read"}
    assert download.attempts < 10


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("0", 0.0), (" 120 ", 120.0), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0), ("soon", None), ("", None), ("-5", None)],
)
def test_retry_after_as_servers_write_it(header: str, seconds: float | None) -> None:
    assert seconds_to_wait(header) == seconds


def test_a_retry_after_without_end_is_no_number(server: FaultServer) -> None:
    assert seconds_to_wait("9" * 400) is None
