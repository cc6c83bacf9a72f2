"""The one way out: every connection goes to an address that was checked, whatever its name stands for by now.

A name is looked up, its addresses are checked, and only those that pass are connected to. The socket of each connection
is opened here too, and checked again on the very address it will use, so that a host that is written as a number, which
is never looked up, passes the same check.
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
    """`refusal` names what is wrong with an address, or nothing; a host all of whose addresses fail is refused."""

    def __init__(self, lookups: Lookups, refusal: Refusal) -> None:
        self._lookups = lookups
        self._refusal = refusal

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_UNSPEC
    ) -> list[ResolveResult]:
        """The public ones among a name's addresses. Raises FetchFailed when there is none."""
        found = await self._lookups.addresses(host)
        passed = [address for address in found if not self._wrong(address)]
        if not passed:
            raise FetchFailed(f"address refused: {host} is {found[0]}, {self._wrong(found[0])}")
        return [_result(host, address, port) for address in passed]

    def open_socket(self, info: AddressInfo) -> socket.socket:
        """A socket for that address. Raises FetchFailed when it is not public."""
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
