"""Downloads in tests: limits that are quick, and fetching without writing asyncio each time."""

import asyncio
from dataclasses import replace
from ipaddress import ip_address
from pathlib import Path

from src.retrieval.web.download import Download, Limits
from src.retrieval.web.fetcher import Fetcher
from src.retrieval.web.ssrf_guard import Address, Refusal, Resolve, not_public

PATIENT = Limits(attempts=1, backoff=0.01, allow_private=True)
RETRYING = replace(PATIENT, attempts=3)
HASTY = replace(PATIENT, read=0.5)
SMALL = replace(PATIENT, max_bytes=200_000)
STRICT = replace(PATIENT, allow_private=False)


def fetch(
    url: str,
    path: Path,
    limits: Limits = PATIENT,
    resolve: Resolve | None = None,
    refusal: Refusal = not_public,
) -> Download:
    return fetch_all([url], path, limits, resolve, refusal)[0]


def fetch_all(
    urls: list[str],
    path: Path,
    limits: Limits = PATIENT,
    resolve: Resolve | None = None,
    refusal: Refusal = not_public,
) -> list[Download]:
    """One after the other in one Fetcher, to `path`, `path-1`, `path-2`..."""

    async def run() -> list[Download]:
        async with Fetcher(limits, resolve, refusal) as fetcher:
            places = [path.with_name(f"{path.name}-{number}") if number else path for number in range(len(urls))]
            return [await fetcher.fetch(url, place) for url, place in zip(urls, places, strict=True)]

    return asyncio.run(run())


def public_but_for(*allowed: str) -> Refusal:
    """The real rule, with some addresses of this machine taken for public ones."""
    passed = {ip_address(address) for address in allowed}

    def refusal(address: Address) -> str:
        return "" if address in passed else not_public(address)

    return refusal


def names(**hosts: str | list[str]) -> Resolve:
    """A name lookup of the hosts given, each `_` in them a dot; a list is an answer a question, the last one stays."""
    left = {
        host.replace("_", "."): [addresses] if isinstance(addresses, str) else list(addresses)
        for host, addresses in hosts.items()
    }

    async def resolve(host: str) -> list[str]:
        answers = left[host]
        return (answers.pop(0) if len(answers) > 1 else answers[0]).split()

    return resolve
