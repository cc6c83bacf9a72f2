"""Which addresses are public, and which address a host spells."""

import re
from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from src.retrieval.web.addresses import literal, not_public

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
