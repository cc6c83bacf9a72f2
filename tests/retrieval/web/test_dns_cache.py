"""Names are asked for once, failures that will not last again, and no more names are kept than allowed."""

import asyncio
import socket
from collections import Counter

import pytest

from src.retrieval.web.dns_cache import Lookups
from src.retrieval.web.failures import FetchFailed

FAILS: dict[str, Exception] = {
    "unknown.test": socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
    "busy.test": socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
    "long.test": UnicodeError("label too long"),
}


class Names:
    """A resolver that counts."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()

    async def __call__(self, host: str) -> list[str]:
        self.asked[host] += 1
        await asyncio.sleep(0)
        if host in FAILS:
            raise FAILS[host]
        return [] if host == "nothing.test" else [f"192.0.2.{self.asked[host]}"]


async def outcome(lookups: Lookups, host: str) -> str:
    try:
        return " ".join(await lookups.addresses(host))
    except FetchFailed as failure:
        return failure.reason


def outcomes(hosts: list[str], names: Names, *, keep: int = 100, forget: str = "") -> list[str]:
    async def run() -> list[str]:
        lookups = Lookups(names, keep=keep)
        try:
            found = []
            for host in hosts:
                found.append(await outcome(lookups, host))
                lookups.forget(forget)
            return found
        finally:
            await lookups.close()

    return asyncio.run(run())


def test_an_answer_is_kept() -> None:
    names = Names()
    assert outcomes(["a.test", "b.test", "a.test"], names) == ["192.0.2.1"] * 3
    assert names.asked == {"a.test": 1, "b.test": 1}


def test_a_forgotten_answer_is_asked_for_again() -> None:
    assert outcomes(["a.test", "a.test"], Names(), forget="a.test") == ["192.0.2.1", "192.0.2.2"]


@pytest.mark.parametrize(
    ("host", "reason", "asked"),
    [
        ("unknown.test", "no such host: unknown.test", 1),
        ("long.test", "no such host: long.test", 1),
        ("nothing.test", "no such host: nothing.test", 1),
        ("busy.test", "name lookup failed: temporary failure in name resolution", 2),
    ],
)
def test_failures(host: str, reason: str, asked: int) -> None:
    names = Names()
    assert outcomes([host, host], names) == [reason, reason]
    assert names.asked[host] == asked


def test_the_oldest_names_are_dropped() -> None:
    names = Names()
    outcomes(["a.test", "b.test", "a.test", "c.test", "a.test", "b.test"], names, keep=2)
    assert names.asked == {"a.test": 1, "b.test": 2, "c.test": 1}


def test_the_systems_resolver() -> None:
    async def run() -> list[str]:
        lookups = Lookups()
        try:
            return await lookups.addresses("localhost")
        finally:
            await lookups.close()

    assert set(asyncio.run(run())) & {"127.0.0.1", "::1"}
