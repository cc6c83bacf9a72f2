"""SSRF guard: every connection goes to a checked address, whatever its host name resolves to by then.

A name is resolved, and only those of its addresses that pass the check are connected to. The socket of each connection
is opened here too, after a second check of the address it will use. A numeric host, which is never resolved, passes the
same check.
"""

import socket
from collections.abc import Callable
from ipaddress import ip_address

from aiohttp.abc import AbstractResolver, ResolveResult

from src.retrieval.web.addresses import Address
from src.retrieval.web.dns_cache import Lookups
from src.retrieval.web.failures import FetchFailed

AddressInfo = tuple[int | socket.AddressFamily, int | socket.SocketKind, int, str, tuple[str | int, ...]]
Refusal = Callable[[Address], str]


class AddressGate(AbstractResolver):
    """Resolver and socket factory. `refusal` returns why an address is refused, or ""; a host without a good one is
    refused.
    """

    def __init__(self, lookups: Lookups, refusal: Refusal) -> None:
        self._lookups = lookups
        self._refusal = refusal

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """Return the public addresses of a name. Raises FetchFailed when there is none."""
        found = await self._lookups.addresses(host)
        passed = [address for address in found if not self._wrong(address)]
        if not passed:
            raise FetchFailed(f"address refused: {host} is {found[0]}, {self._wrong(found[0])}")
        return [_result(host, address, port) for address in passed]

    def open_socket(self, info: AddressInfo) -> socket.socket:
        """Return a socket for that address. Raises FetchFailed when the address is not public."""
        family, kind, protocol, _, place = info
        wrong = self._wrong(str(place[0]))
        if wrong:
            raise FetchFailed(f"address refused: {place[0]} is {wrong}")
        return socket.socket(family, kind, protocol)

    def forget(self, host: str) -> None:
        self._lookups.forget(host)

    async def close(self) -> None:
        await self._lookups.close()

    def _wrong(self, address: str) -> str:
        return self._refusal(ip_address(address.partition("%")[0]))


def _result(host: str, address: str, port: int) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(hostname=host, host=address, port=port, family=family, proto=0, flags=socket.AI_NUMERICHOST)
