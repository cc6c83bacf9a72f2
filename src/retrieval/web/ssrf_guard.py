"""SSRF guard: connections are made only to IP addresses that were checked to be public.

A host name is resolved once per run, and only addresses that pass the check are used. The socket of each connection is
also opened by this module, after a second check of its address. Numeric hosts, which are not resolved, are therefore
checked, too.

`not_public` is the check. An address that contains another one (IPv4-mapped, 6to4, Teredo, NAT64, ISATAP) is public
only if the inner one is.

Limitations: at most `keep` names are cached, and the TTL of answers is ignored. The system's resolver blocks a thread
for each query, so at most `threads` run at once. A query whose caller was canceled keeps its thread until the resolver
has finished.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

from aiohttp.abc import AbstractResolver, ResolveResult

from src.retrieval.web.failures import FetchFailed
from src.retrieval.web.single_flight import SingleFlight

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
    """Return the kind of an address that is not public (`loopback`, `link-local`, …), or "" if it is public."""
    kind = _kind(address)
    if kind:
        return kind
    for inner in (*_carried(address), *_tunneled(address)):
        if kind := not_public(inner):
            return f"{inner} in disguise, {kind}"
    return "" if address.is_global or _is_carrier(address) else "reserved"


def _kind(address: Address) -> str:
    """Return the kind of an address that is itself not public, or ""; addresses inside it are not examined."""
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
    special = next((kind for kind, is_so in kinds.items() if is_so), "")
    if special or _is_carrier(address):
        return special
    return "reserved" if address.is_reserved else "private" if address.is_private else ""


def _is_carrier(address: Address) -> bool:
    """Return True if the address is an IPv6 address that contains an IPv4 address."""
    return next(_carried(address), None) is not None


def _carried(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses inside an IPv6 address, to which packets would be forwarded."""
    if isinstance(address, IPv4Address):
        return
    if address in NAT64 or address in COMPATIBLE:
        yield IPv4Address(int(address) & 0xFFFFFFFF)
    for inner in (address.ipv4_mapped, address.sixtofour, *(address.teredo or ())):
        if inner is not None:
            yield inner


def _tunneled(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 address at the end of an ISATAP address, to which a router may forward packets."""
    if isinstance(address, IPv6Address) and int(address) >> 32 & 0xFFFFFFFF in ISATAP:
        yield IPv4Address(int(address) & 0xFFFFFFFF)


def _is_listed(address: Address) -> bool:
    if isinstance(address, IPv4Address):
        return any(address in network for network in RESERVED_4)
    return any(address in network for network in RESERVED_6)


def literal(host: str) -> Address | None:
    """Return the IP address of a numeric host (`2130706433`, `0x7f.1`, `::1`); None for a host name.

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


Resolve = Callable[[str], Awaitable[list[str]]]

NO_SUCH_NAME = {socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME)}


class DnsCache:
    """DNS cache: IP addresses of host names. `resolve` replaces the system's resolver.

    `keep`: maximum number of cached names.
    `threads`: number of queries of the system's resolver that may run at once.
    """

    def __init__(self, resolve: Resolve | None = None, *, keep: int = 10_000, threads: int = 64) -> None:
        self._resolve = resolve or self._ask_system
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="lookup")
        self._names = SingleFlight(self._ask, keep)

    async def addresses(self, host: str) -> list[str]:
        """Return the IP addresses of a host name. Raises FetchFailed when it has none or cannot be resolved."""
        return await self._names.answer(host)

    def forget(self, host: str) -> None:
        """Drop the cached addresses of a host name. Called when a connection to them failed."""
        self._names.forget(host)

    async def close(self) -> None:
        await self._names.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, host: str) -> list[str]:
        try:
            addresses = await self._resolve(host)
        except (OSError, UnicodeError) as error:
            raise _failure(host, error) from None
        if not addresses:
            raise FetchFailed(f"no such host: {host}")
        return addresses

    async def _ask_system(self, host: str) -> list[str]:
        loop = asyncio.get_running_loop()
        addresses = await loop.run_in_executor(self._threads, _getaddrinfo, host)
        return list(dict.fromkeys(addresses))


def _getaddrinfo(host: str) -> list[str]:
    infos = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
    return [str(info[4][0]) for info in infos]


def _failure(host: str, error: OSError | UnicodeError) -> FetchFailed:
    if isinstance(error, UnicodeError) or error.errno in NO_SUCH_NAME:
        return FetchFailed(f"no such host: {host}")
    return FetchFailed(f"name lookup failed: {(error.strerror or str(error)).lower()}", transient=True)


AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[str | int, ...]]
Refusal = Callable[[Address], str]


class SsrfGuard(AbstractResolver):
    """Resolver and socket factory for aiohttp that refuse IP addresses.

    `names`: DNS cache.
    `refusal`: function that returns why an address is refused, or "".
    """

    def __init__(self, names: DnsCache, refusal: Refusal) -> None:
        self._names = names
        self._refusal = refusal

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the addresses of a host name that are not refused. Raises FetchFailed if there are none."""
        addresses = await self._names.addresses(host)
        passed = [address for address in addresses if not self._wrong(address)]
        if not passed:
            raise FetchFailed(f"address refused: {host} is {addresses[0]}, {self._wrong(addresses[0])}")
        return [_result(host, address, port) for address in passed]

    def open_socket(self, info: AddressInfo) -> socket.socket:
        """Return a socket for a connection to the address in `info`. Raises FetchFailed if the address is refused."""
        family, kind, protocol, _, place = info
        wrong = self._wrong(str(place[0]))
        if wrong:
            raise FetchFailed(f"address refused: {place[0]} is {wrong}")
        return socket.socket(family, kind, protocol)

    def forget(self, host: str) -> None:
        self._names.forget(host)

    async def close(self) -> None:
        await self._names.close()

    def _wrong(self, address: str) -> str:
        """Return why an IP address is refused, or ""."""
        return self._refusal(ip_address(address.partition("%")[0]))


def _result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
