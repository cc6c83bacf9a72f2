"""No address that is not public is ever connected to: as a number, behind a name, after a redirect, or later on.

The server listens on 127.0.0.5, which these tests take for public; every other address of this machine is refused by
the rule that holds outside tests.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from src.retrieval.web.fetcher import Fetcher
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS, answer, redirect
from tests.retrieval.web.fetching import STRICT, fetch, fetch_all, names, public_but_for

HERE = "127.0.0.5"
ONLY_HERE = public_but_for(HERE)


@pytest.fixture(scope="module")
def server() -> Iterator[FaultServer]:
    with FaultServer(HERE) as running:
        yield running


@pytest.fixture(scope="module")
def private() -> Iterator[FaultServer]:
    """What nobody from outside may ask."""
    with FaultServer("127.0.0.1") as running:
        yield running


@pytest.mark.parametrize(
    ("host", "said"),
    [
        ("127.0.0.1", "127.0.0.1 is loopback"),
        ("2130706433", "127.0.0.1 is loopback"),
        ("0x7f.1", "127.0.0.1 is loopback"),
        ("0177.0.0.01", "127.0.0.1 is loopback"),
        ("127.1", "127.0.0.1 is loopback"),
        ("127.0.0.1.", "127.0.0.1 is loopback"),
        ("\uff11\uff12\uff17\uff0e0.0.\uff11", "127.0.0.1 is loopback"),
        ("[::1]", "::1 is loopback"),
        ("[::ffff:127.0.0.1]", "::ffff:7f00:1 is 127.0.0.1 in disguise, loopback"),
        ("[::ffff:7f00:1]", "::ffff:7f00:1 is 127.0.0.1 in disguise, loopback"),
        ("[64:ff9b::a9fe:a9fe]", "64:ff9b::a9fe:a9fe is 169.254.169.254 in disguise, link-local"),
        ("0.0.0.0", "0.0.0.0 is unspecified"),
        ("169.254.169.254", "169.254.169.254 is link-local"),
        ("10.1.2.3", "10.1.2.3 is private"),
        ("100.64.0.1", "100.64.0.1 is shared (carrier-grade NAT)"),
    ],
)
def test_hosts_written_as_numbers(host: str, said: str, private: FaultServer, tmp_path: Path) -> None:
    download = fetch(private.url("good", host=host), tmp_path / "page", STRICT)
    assert (download.reason, download.transient) == (f"address refused: {said}", False)
    assert not private.requests


@pytest.mark.parametrize(
    ("found", "said"),
    [("127.0.0.1", "loopback"), ("169.254.169.254", "link-local"), ("::1", "loopback"), ("192.168.0.7", "private")],
)
def test_names_of_private_addresses(found: str, said: str, private: FaultServer, tmp_path: Path) -> None:
    url = private.url("good", host="inside.test")
    download = fetch(url, tmp_path / "page", STRICT, names(inside_test=found))
    assert (download.reason, download.attempts) == (f"address refused: inside.test is {found}, {said}", 1)
    assert not private.requests


def test_the_systems_own_names_are_no_way_in(private: FaultServer, tmp_path: Path) -> None:
    download = fetch(private.url("good", host="localhost"), tmp_path / "page", STRICT)
    assert download.reason.startswith("address refused: localhost is ")
    assert not private.requests


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("http://169.254.169.254/latest/meta-data/", "address refused: 169.254.169.254 is link-local"),
        ("http://127.0.0.1:{port}/good", "address refused: 127.0.0.1 is loopback"),
        ("http://2130706433:{port}/good", "address refused: 127.0.0.1 is loopback"),
        ("//[::ffff:127.0.0.1]:{port}/good", "address refused: ::ffff:7f00:1 is 127.0.0.1 in disguise, loopback"),
        ("http://inside.test:{port}/good", "address refused: inside.test is 10.0.0.7, private"),
        ("file:///etc/passwd", "not a web address: file"),
        ("ftp://example.org/", "not a web address: ftp"),
        ("gopher://127.0.0.1:{port}/", "not a web address: gopher"),
        ("http://[bad", "not a web address: Invalid IPv6 URL"),
    ],
)
def test_redirects_to_where_nobody_may_go(
    location: str, reason: str, server: FaultServer, private: FaultServer, tmp_path: Path
) -> None:
    url = server.answer("away", redirect(location.format(port=private.port)))
    download = fetch(url, tmp_path / "page", STRICT, names(inside_test="10.0.0.7"), ONLY_HERE)
    assert (download.reason, download.redirects, download.path) == (reason, int(reason.startswith("address")), None)
    assert not private.requests


def test_a_name_that_turns_private_at_the_second_lookup(
    server: FaultServer, private: FaultServer, tmp_path: Path
) -> None:
    """The first address, taken for public, has nobody there, so the name is looked up again for the second attempt."""
    url = private.url("good", host="turns.test")
    lookup = names(turns_test=["127.0.0.6", "127.0.0.1"])
    download = fetch(url, tmp_path / "page", replace(STRICT, attempts=3), lookup, public_but_for("127.0.0.6"))
    assert (download.reason, download.attempts) == ("address refused: turns.test is 127.0.0.1, loopback", 2)
    assert not private.requests


def test_a_name_that_turns_private_between_two_urls_keeps_its_first_address(
    server: FaultServer, private: FaultServer, tmp_path: Path
) -> None:
    once = server.answer("once", answer(Connection="close")).replace(HERE, "turns.test")
    lookup = names(turns_test=[HERE, "127.0.0.1"])
    downloads = fetch_all([once, once], tmp_path / "page", STRICT, lookup, ONLY_HERE)
    assert [download.reason for download in downloads] == ["", ""]
    assert server.requests["once"] == 2
    assert not private.requests


def test_of_mixed_answers_only_the_public_address_is_connected_to(
    server: FaultServer, private: FaultServer, tmp_path: Path
) -> None:
    url = server.url("good", host="mixed.test")
    lookup = names(mixed_test=f"127.0.0.1 10.0.0.1 {HERE} ::1")
    assert fetch(url, tmp_path / "page", STRICT, lookup, ONLY_HERE).reason == ""
    assert not private.requests


def test_private_addresses_on_request_but_no_other_schemes(private: FaultServer, tmp_path: Path) -> None:
    allowed = replace(STRICT, allow_private=True)
    urls = [private.url("good"), private.url("good", host="2130706433"), "file:///etc/passwd"]
    downloads = fetch_all(urls, tmp_path / "page", allowed)
    assert [download.reason for download in downloads] == ["", "", "not a web address: file"]
    private.requests.clear()


@pytest.mark.parametrize(
    ("name", "location", "reason"),
    [
        ("circle", "/circle", "redirect loop"),
        ("circle", "circle#part", "redirect loop"),
        ("away", "/away/further", "too many redirects: more than 4"),
    ],
)
def test_redirects_without_end(name: str, location: str, reason: str, server: FaultServer, tmp_path: Path) -> None:
    limits = replace(STRICT, max_redirects=4, attempts=3)
    for step in range(6):
        server.answer("away" + "/further" * step, redirect("/away" + "/further" * (step + 1)))
    if name == "circle":
        server.answer(name, redirect(location))
    before = server.requests.total()
    download = fetch(server.url(name), tmp_path / "page", limits, refusal=ONLY_HERE)
    assert (download.reason, download.transient, download.attempts) == (reason, False, 1)
    assert server.requests.total() - before == (1 if name == "circle" else 5)


def test_redirects_that_end_well(server: FaultServer, tmp_path: Path) -> None:
    server.answer("a", redirect(f"//b.test:{server.port}/b?x=%C3%A4#top"))
    server.answer("b?x=%C3%A4", redirect("../c/d e", "301 Moved Permanently"))
    for step, status in enumerate(["303 See Other", "307 Temporary Redirect", "308 Permanent Redirect"]):
        server.answer("c/d%20e" + "/+" * step, redirect("/c/d%20e" + "/+" * (step + 1), status))
    server.answer("c/d%20e/+/+/+", FAULTS["good"])
    download = fetch(server.url("a"), tmp_path / "page", STRICT, names(b_test=HERE), ONLY_HERE)
    assert (download.reason, download.redirects, download.status) == ("", 5, 200)
    assert download.final_url == server.url("c/d%20e/+/+/+", host="b.test")
    assert download.url == server.url("a")


def test_a_redirect_without_a_place_to_go(server: FaultServer, tmp_path: Path) -> None:
    url = server.answer("nowhere", answer(status="302 Found"))
    assert fetch(url, tmp_path / "page", STRICT, refusal=ONLY_HERE).reason == "HTTP 302"


def test_a_name_lookup_that_hangs_is_cut_off(tmp_path: Path) -> None:
    async def hang(host: str) -> list[str]:
        await asyncio.sleep(3600)
        return []

    limits = replace(STRICT, connect=0.2)
    assert fetch("http://hangs.test/", tmp_path / "page", limits, hang).reason == "timeout: connect"
    limits = replace(STRICT, deadline=0.2)
    assert fetch("http://hangs.test/", tmp_path / "page", limits, hang).reason == "timeout: deadline of 0.2 s"


def test_fifty_who_wait_for_one_name_ask_once(server: FaultServer, tmp_path: Path) -> None:
    asked = []

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        await asyncio.sleep(0.01)
        return [HERE]

    async def run() -> None:
        async with Fetcher(STRICT, resolve, ONLY_HERE) as fetcher:
            url = server.url("good", host="busy.test")
            downloads = [fetcher.fetch(url, tmp_path / str(number)) for number in range(50)]
            assert {download.reason for download in await asyncio.gather(*downloads)} == {""}

    asyncio.run(run())
    assert asked == ["busy.test"]
