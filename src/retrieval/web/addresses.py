"""IP addresses: which are public, and which a numeric host in a URL means.

`not_public` names the kind of an address that no web page can be at. An address that contains another (IPv4-mapped,
6to4, Teredo, NAT64, ISATAP) is public only when the inner one is.

Limitations: names are not resolved here; `dns_cache.py` resolves them, and `ssrf_guard.py` checks every connection.
"""

import re
import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address

METADATA = {ip_address("168.63.129.16"), ip_address("fd00:ec2::254"), ip_address("100.100.100.200")}
SHARED = IPv4Network("100.64.0.0/10")
COMPATIBLE = IPv6Network("::/96")
NAT64 = IPv6Network("64:ff9b::/96")
LOCAL_NAT64 = IPv6Network("64:ff9b:1::/48")
ISATAP = {0x00005EFE, 0x02005EFE}  # RFC 5214: the interface identifier, before its IPv4 address
# Networks of IANA's special-purpose registry (RFC 6890) that the standard library counts as global.
RESERVED_4 = (IPv4Network("192.0.0.0/24"), IPv4Network("192.88.99.0/24"))
RESERVED_6 = (IPv6Network("3fff::/20"),)

_NUMERIC_END = re.compile(r"(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$")


def not_public(address: Address) -> str:
    """Return the kind of an address that is not public (`loopback`, `link-local`, `private`, ...); "" when it is
    public.
    """
    kind = _kind(address)
    if kind:
        return kind
    for inner in (*_carried(address), *_tunneled(address)):
        if kind := not_public(inner):
            return f"{inner} in disguise, {kind}"
    return "" if address.is_global or _is_carrier(address) else "reserved"


def _kind(address: Address) -> str:
    kinds = {
        "a metadata address": address in METADATA,
        "unspecified": address.is_unspecified,
        "loopback": address.is_loopback,
        "link-local": address.is_link_local,
        "multicast": address.is_multicast,
        "shared (carrier-grade NAT)": isinstance(address, IPv4Address) and address in SHARED,
        "local NAT64": isinstance(address, IPv6Address) and address in LOCAL_NAT64,
        "site-local": isinstance(address, IPv6Address) and address.is_site_local,
        "reserved": _is_listed(address),
    }
    found = next((kind for kind, is_so in kinds.items() if is_so), "")
    if found or _is_carrier(address):
        return found
    return "reserved" if address.is_reserved else "private" if address.is_private else ""


def _is_carrier(address: Address) -> bool:
    return next(_carried(address), None) is not None


def _carried(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address would be forwarded to."""
    if isinstance(address, IPv4Address):
        return
    if address in NAT64 or address in COMPATIBLE:
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    for inner in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())):
        if inner is not None:
            yield inner


def _tunneled(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 address at the end of an ISATAP address, to which a router of its network may forward."""
    if isinstance(address, IPv6Address) and int(address) >> 32 & 0xFFFFFFFF in ISATAP:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _is_listed(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in RESERVED_4)
    return any(address in network for network in RESERVED_6)


def literal(host: str) -> Address | None:
    """Return the address that a host spells (`2130706433`, `0x7f.1`, `::1`); None for a name.

    As in browsers, a host whose last part is a number is an IPv4 address or an error. Raises ValueError for a number
    that is no address, and for an IPv6 address with a network interface.
    """
    if ":" in host:
        address = IPv6Address(host)
        if address.scope_id is not None:
            raise ValueError(f"{host} names a network interface")
        return address
    if not _NUMERIC_END.search(host):
        return None
    try:
        return IPv4Address(socket.inet_aton(host.removesuffix(".")))
    except OSError:
        raise ValueError(f"{host} is no IPv4 address") from None
