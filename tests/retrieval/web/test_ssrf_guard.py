"""No address that is not public is ever connected to: as a number, behind a name, after a redirect, or later on.

The server listens on 127.0.0.5, which these tests take for public; every other address of this machine is refused by
the rule that holds outside tests.
"""

import asyncio
import re
import socket
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.ssrf_guard import DnsCache, literal, not_public
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS, answer, redirect
from tests.retrieval.web.fetching import STRICT, fetch, fetch_all, names, public_but_for

PRIVATE = {
    "loopback": ["127.0.0.1", "127.255.255.254", "::1"],
    "private": ["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "fc00::1", "fd12::1", "192.0.2.1"],
    "link-local": ["169.254.0.1", "169.254.169.254", "fe80::1"],
    "multicast": ["224.0.0.1", "239.255.255.255", "ff02::1"],
    "unspecified": ["0.0.0.0", "::"],
    "reserved": ["240.0.0.1", "255.255.255.255", "192.0.0.9", "192.0.0.192", "192.88.99.1", "3fff::1", "3fff:fff::1"],
    "shared (carrier-grade NAT)": ["100.64.0.1", "100.127.255.255"],
    "a metadata address": ["100.100.100.200", "168.63.129.16", "fd00:ec2::254"],
    "site-local": ["fec0::1"],
    "local NAT64": ["64:ff9b:1::808:808"],
}
DISGUISES = {
    "IPv4-mapped": lambda inner: (0xFFFF << 32) | inner,
    "IPv4-compatible": lambda inner: inner,
    "NAT64": lambda inner: (0x64FF9B << 96) | inner,
    "6to4": lambda inner: (0x2002 << 112) | (inner << 80) | 1,
    "Teredo": lambda inner: (0x20010000 << 96) | (0x08080808 << 64) | (inner ^ 0xFFFFFFFF),
}


@pytest.mark.parametrize(("kind", "address"), [(kind, one) for kind, group in PRIVATE.items() for one in group])
def test_not_public(kind: str, address: str) -> None:
    assert not_public(ip_address(address)) == kind


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "93.184.215.14", "100.63.255.255", "100.128.0.0", "172.32.0.1", "2606:4700::1111", "2a00:1450::1"],
)
def test_public(address: str) -> None:
    assert not_public(ip_address(address)) == ""


@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize(("inner", "kind"), [("127.0.0.1", "loopback"), ("10.0.0.1", "private"), ("8.8.8.8", "")])
def test_addresses_that_carry_another(disguise: str, inner: str, kind: str) -> None:
    carrier = IPv6Address(DISGUISES[disguise](int(IPv4Address(inner))))
    assert not_public(carrier) == (f"{inner} in disguise, {kind}" if kind else "")


@pytest.mark.parametrize("network", ["2001:470:1:2", "2606:4700:0:0"])
@pytest.mark.parametrize("identifier", ["0:5efe", "200:5efe"])
@pytest.mark.parametrize(("inner", "kind"), [("127.0.0.1", "loopback"), ("192.168.0.1", "private"), ("8.8.8.8", "")])
def test_isatap_addresses_carry_another(network: str, identifier: str, inner: str, kind: str) -> None:
    address = ip_address(f"{network}:{identifier}:{inner}")
    assert not_public(address) == (f"{inner} in disguise, {kind}" if kind else "")


def test_a_private_isatap_address_stays_private() -> None:
    assert not_public(ip_address("fd00::5efe:8.8.8.8")) == "private"
    assert not_public(ip_address("fe80::5efe:8.8.8.8")) == "link-local"


@given(st.ip_addresses())
def test_never_more_lenient_than_the_standard_library(address: IPv4Address | IPv6Address) -> None:
    carries = isinstance(address, IPv6Address) and (address.ipv4_mapped or address.sixtofour or address.teredo)
    if not not_public(address) and not carries and not str(address).startswith("64:ff9b::"):
        assert address.is_global


def spellings(address: IPv4Address) -> list[str]:
    number = int(address)
    a, b, c, d = address.packed
    return [
        str(address),
        f"{address}.",
        str(number),
        hex(number),
        f"0{number:o}",
        f"{a}.{number & 0xFFFFFF}",
        f"{a}.{b}.{number & 0xFFFF}",
        f"0x{a:x}.0{b:o}.{c}.0x{d:X}".lower(),
    ]


@given(st.ip_addresses(v=4))
def test_every_spelling_of_a_number_is_that_number(address: IPv4Address) -> None:
    assert {literal(host) for host in spellings(address)} == {address}


@given(st.ip_addresses(v=6))
def test_ipv6_as_it_is_written(address: IPv6Address) -> None:
    assert literal(str(address)) == literal(address.exploded) == address


@pytest.mark.parametrize("host", ["example.org", "1.example", "0x7f.example", "a1", "x0x1", "127.0.0.1.nip.io"])
def test_names_are_names(host: str) -> None:
    assert literal(host) is None


@pytest.mark.parametrize("host", ["256.1.1.1", "1.2.3.4.5", "4294967296", "0x", "1.2.3.08", "fe80::1%eth0", ":::"])
def test_neither_name_nor_address(host: str) -> None:
    with pytest.raises(ValueError, match=re.escape(host)):
        literal(host)


FAILING: dict[str, Exception] = {
    "unknown.test": socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
    "busy.test": socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
    "long.test": UnicodeError("label too long"),
}


class Names:
    """A resolver that counts."""

    def __init__(self) -> None:
        self.lookups: Counter[str] = Counter()

    async def __call__(self, host: str) -> list[str]:
        self.lookups[host] += 1
        await asyncio.sleep(0)
        if host in FAILING:
            raise FAILING[host]
        return [] if host == "nothing.test" else [f"192.0.2.{self.lookups[host]}"]


async def outcome(lookups: DnsCache, host: str) -> str:
    try:
        return " ".join(await lookups.addresses(host))
    except FetchFailed as failure:
        return failure.reason


def outcomes(hosts: list[str], names: Names, *, keep: int = 100, forget: str = "") -> list[str]:
    async def run() -> list[str]:
        lookups = DnsCache(names, keep=keep)
        try:
            results = []
            for host in hosts:
                results.append(await outcome(lookups, host))
                lookups.forget(forget)
            return results
        finally:
            await lookups.close()

    return asyncio.run(run())


def test_an_answer_is_cached() -> None:
    names = Names()
    assert outcomes(["a.test", "b.test", "a.test"], names) == ["192.0.2.1"] * 3
    assert names.lookups == {"a.test": 1, "b.test": 1}


def test_a_forgotten_host_is_looked_up_again() -> None:
    assert outcomes(["a.test", "a.test"], Names(), forget="a.test") == ["192.0.2.1", "192.0.2.2"]


@pytest.mark.parametrize(
    ("host", "reason", "lookups"),
    [
        ("unknown.test", "no such host: unknown.test", 1),
        ("long.test", "no such host: long.test", 1),
        ("nothing.test", "no such host: nothing.test", 1),
        ("busy.test", "name lookup failed: temporary failure in name resolution", 2),
    ],
)
def test_failures(host: str, reason: str, lookups: int) -> None:
    names = Names()
    assert outcomes([host, host], names) == [reason, reason]
    assert names.lookups[host] == lookups


def test_the_oldest_names_are_dropped() -> None:
    names = Names()
    outcomes(["a.test", "b.test", "a.test", "c.test", "a.test", "b.test"], names, keep=2)
    assert names.lookups == {"a.test": 1, "b.test": 2, "c.test": 1}


def test_the_systems_resolver() -> None:
    async def run() -> list[str]:
        lookups = DnsCache()
        try:
            return await lookups.addresses("localhost")
        finally:
            await lookups.close()

    assert set(asyncio.run(run())) & {"127.0.0.1", "::1"}


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
    ("host", "reason"),
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
def test_hosts_written_as_numbers(host: str, reason: str, private: FaultServer, tmp_path: Path) -> None:
    download = fetch(private.url("good", host=host), tmp_path / "page", STRICT)
    assert (download.reason, download.transient) == (f"address refused: {reason}", False)
    assert not private.requests


@pytest.mark.parametrize(
    ("address", "reason"),
    [("127.0.0.1", "loopback"), ("169.254.169.254", "link-local"), ("::1", "loopback"), ("192.168.0.7", "private")],
)
def test_names_of_private_addresses(address: str, reason: str, private: FaultServer, tmp_path: Path) -> None:
    url = private.url("good", host="inside.test")
    download = fetch(url, tmp_path / "page", STRICT, names(inside_test=address))
    assert (download.reason, download.attempts) == (f"address refused: inside.test is {address}, {reason}", 1)
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


def test_fifty_concurrent_fetches_look_up_a_host_once(server: FaultServer, tmp_path: Path) -> None:
    looked_up = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        await asyncio.sleep(0.01)
        return [HERE]

    async def run() -> None:
        async with Fetcher(STRICT, resolve, ONLY_HERE) as fetcher:
            url = server.url("good", host="busy.test")
            downloads = [fetcher.fetch(url, tmp_path / str(number)) for number in range(50)]
            assert {download.reason for download in await asyncio.gather(*downloads)} == {""}

    asyncio.run(run())
    assert looked_up == ["busy.test"]
