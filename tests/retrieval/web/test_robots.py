"""robots.txt on request: obeyed, asked for once, and what it means when it does not come."""

import asyncio
import threading
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from protego import Protego

from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.robots import LONGEST, MOST_RULES, parse_rules
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS, MEGABYTE, Answer, answer, redirect, stream
from tests.retrieval.web.fetching import PATIENT, RETRYING, STRICT, fetch, fetch_all, names, public_but_for

POLITE = replace(PATIENT, robots=True)
RULES = b"""\xef\xbb\xbfUser-agent: other
Disallow: /

User-agent: averitec-pipeline
Disallow: /private
Allow: /private/but
Crawl-delay: 100
"""


@pytest.fixture
def server() -> Iterator[FaultServer]:
    with FaultServer() as running:
        for name in ("private/page", "private/but/this", "private"):
            running.answer(name, FAULTS["good"])
        yield running


def test_rules_are_obeyed(server: FaultServer, tmp_path: Path) -> None:
    server.answer("robots.txt", answer(RULES))
    urls = [server.url(name) for name in ("good", "private/page", "private/but/this", "private?x=1")]
    downloads = fetch_all(urls, tmp_path / "page", POLITE)
    assert [download.reason for download in downloads] == ["", "refused by robots.txt", "", "refused by robots.txt"]
    assert server.requests == {"robots.txt": 1, "good": 1, "private/but/this": 1}
    assert not downloads[1].transient


def test_another_name_has_other_rules(server: FaultServer, tmp_path: Path) -> None:
    server.answer("robots.txt", answer(RULES))
    limits = replace(POLITE, user_agent="Other/1.0 (what else)")
    assert fetch(server.url("good"), tmp_path / "page", limits).reason == "refused by robots.txt"


def test_fifty_at_once_ask_once(server: FaultServer, tmp_path: Path) -> None:
    async def slow(head: str, out: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        out.write(answer(RULES))

    server.answer("robots.txt", slow)

    async def run() -> set[str]:
        async with Fetcher(POLITE) as fetcher:
            downloads = [fetcher.fetch(server.url("good"), tmp_path / str(number)) for number in range(50)]
            return {download.reason for download in await asyncio.gather(*downloads)}

    assert asyncio.run(run()) == {""}
    assert server.requests == {"robots.txt": 1, "good": 50}


@pytest.mark.parametrize(
    "robots",
    [
        answer(status="404 Not Found"),
        answer(status="403 Forbidden"),
        answer(b""),
        answer(b"\x00\xff\xfe nonsense \n\n:::\nDisallow"),
        redirect("/robots.txt"),
        redirect("ftp://example.org/robots.txt"),
    ],
    ids=["404", "403", "empty", "nonsense", "circle", "no web address"],
)
def test_no_robots_txt_allows_everything(robots: bytes, server: FaultServer, tmp_path: Path) -> None:
    server.answer("robots.txt", robots)
    assert fetch(server.url("good"), tmp_path / "page", POLITE).reason == ""


@pytest.mark.parametrize(
    ("robots", "reason"),
    [
        (FAULTS["503"], "HTTP 503"),
        (FAULTS["reset"], "connection lost: connection reset by peer"),
        (FAULTS["short-body"], "body cut short"),
        (FAULTS["hang-before-headers"], "timeout: read"),
    ],
    ids=["503", "reset", "short-body", "hang"],
)
def test_one_that_cannot_be_reached_allows_nothing(
    robots: Answer, reason: str, server: FaultServer, tmp_path: Path
) -> None:
    server.answer("robots.txt", robots)
    limits = replace(RETRYING, robots=True, read=0.1)
    downloads = fetch_all([server.url("good"), server.url("good")], tmp_path / "page", limits)
    for download in downloads:
        assert (download.reason, download.attempts) == (f"robots.txt unreachable: {reason}", 1)
        assert download.transient
    assert server.requests == {"robots.txt": 3}


def test_robots_txt_is_requested_again_from_a_busy_server(server: FaultServer, tmp_path: Path) -> None:
    server.answer("robots.txt", FAULTS["503"], answer(RULES))
    limits = replace(RETRYING, robots=True)
    assert fetch(server.url("private"), tmp_path / "page", limits).reason == "refused by robots.txt"


def test_the_beginning_of_endless_rules_counts(server: FaultServer, tmp_path: Path) -> None:
    server.answer("robots.txt", stream(answer(b"", length=-1) + RULES + b"#", MEGABYTE))
    urls = [server.url("good"), server.url("private")]
    downloads = fetch_all(urls, tmp_path / "page", POLITE)
    assert [download.reason for download in downloads] == ["", "refused by robots.txt"]


def test_each_origin_has_its_own_and_redirects_ask_too(server: FaultServer, tmp_path: Path) -> None:
    with FaultServer() as other:
        server.answer("robots.txt", answer(status="404 Not Found"))
        other.answer("robots.txt", answer(b"User-agent: *\nDisallow: /good"))
        server.answer("leads", redirect(other.url("good")))
        download = fetch(server.url("leads"), tmp_path / "page", POLITE)
        assert (download.reason, download.redirects) == ("refused by robots.txt", 1)
        assert other.requests == {"robots.txt": 1}


def test_robots_txt_at_a_private_address_is_not_requested(server: FaultServer, tmp_path: Path) -> None:
    limits = replace(STRICT, robots=True)
    url = server.url("good", host="inside.test")
    reason = "robots.txt unreachable: address refused: inside.test is 127.0.0.1, loopback"
    lookup = names(inside_test="127.0.0.1")
    assert fetch(url, tmp_path / "page", limits, lookup).reason == reason
    server.answer("robots.txt", redirect(f"http://127.0.0.2:{server.port}/robots.txt"))
    download = fetch(server.url("good"), tmp_path / "page", limits, refusal=public_but_for("127.0.0.1"))
    assert download.reason == "robots.txt unreachable: address refused: 127.0.0.2 is loopback"


def test_other_agents_cost_next_to_nothing_however_many_share_how_many_rules() -> None:
    agents = b"".join(b"User-agent: a%d\n" % number for number in range(2000))
    rules = b"".join(b"Disallow: /%d\n" % number for number in range(2000))
    tracemalloc.start()
    try:
        parsed = parse_rules(agents + b"User-agent: me\n" + rules, "me").parsed
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10_000_000  # a copy of the rules for each agent takes 200 MB
    assert not parsed.can_fetch("http://a.example/1999", "me")


@pytest.mark.parametrize("name", ["other", "me", "Me-Too"])
@pytest.mark.parametrize(
    "text",
    [
        "User-agent: {}\nUser-agent: them\nDisallow: /x\n\nUser-agent: *\nDisallow: /y",
        "user agent  {} # why\ndisallow /x\nUSERAGENT:them\nDisallow: /y",
        "User-agent: *\nDisallow: /y\n\nUser-agent: th*em\nDisallow: /y\nUser-agent: {}*\nDisallow: /x",
        "User-agent: *\nDisallow: /x\nUser-agent: {}-too\nUser-agent: a-{}\nDisallow: /y",
    ],
)
def test_rules_mean_what_they_mean_to_the_library(text: str, name: str) -> None:
    text = text.format(name.lower(), name.lower())
    ours, whole = parse_rules(text.encode(), name).parsed, Protego.parse(text)
    for path in ("x", "y", "z"):
        url = f"http://a.example/{path}"
        assert ours.can_fetch(url, name) == whole.can_fetch(url, name), url


def test_so_many_rules_count_and_none_that_is_longer_than_an_address() -> None:
    rules = [f"Disallow: /{number}x" for number in range(MOST_RULES)]
    text = "\n".join(["# a comment", "", "User-agent: *", f"Disallow: /{'*' * LONGEST}", *rules])
    parsed = parse_rules(text.encode(), "me").parsed
    seen = [parsed.can_fetch(f"http://a.example/{number}x", "me") for number in (MOST_RULES - 2, MOST_RULES - 1)]
    assert seen == [False, True]


def test_rules_are_matched_beside_the_event_loop(
    server: FaultServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads = []

    def can_fetch(rules: Protego, url: str, name: str) -> bool:
        threads.append(threading.current_thread())
        return len(url) == LONGEST

    monkeypatch.setattr(Protego, "can_fetch", can_fetch)
    server.answer("robots.txt", answer(RULES))
    assert fetch(server.url(f"good?{'x' * 2 * LONGEST}"), tmp_path / "page", POLITE).reason != "refused by robots.txt"
    assert threads
    assert threading.main_thread() not in threads
