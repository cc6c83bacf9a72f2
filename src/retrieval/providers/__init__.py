"""Web search behind one method: `get_provider("google").search(SearchQuery(0, "who said what"))`.

Reading order: protocol, this file, server, paging, then one file for each provider. A provider's module is imported
when a spec names it. Keys are read from the environment when a query is sent; `lacking` reports before what is missing.
"""

import importlib
from pathlib import Path

import msgspec

from src.errors import InputError
from src.retrieval.providers.environment import base_url, unset, variable
from src.retrieval.providers.protocol import Found, SearchProvider, SearchQuery

__all__ = [
    "PROVIDERS",
    "Found",
    "SearchProvider",
    "SearchQuery",
    "get_provider",
    "lacking",
    "provider_file",
    "providers_help",
]

TIMEOUT = 30.0  # seconds for one complete answer
ADDRESS_VARIABLE = "SEARXNG_URL"


class Provider(msgspec.Struct, frozen=True):
    """A module with `load(argument, timeout)`, the environment variables it reads, and the form of its specs."""

    module: str
    variables: tuple[str, ...]
    form: str


PROVIDERS = {
    "google": Provider("src.retrieval.providers.google", ("GOOGLE_API_KEY", "GOOGLE_CSE_ID"), "google"),
    "searxng": Provider("src.retrieval.providers.searxng", ("SEARXNG_URL",), "searxng"),
    "brave": Provider("src.retrieval.providers.brave", ("BRAVE_API_KEY",), "brave"),
    "serper": Provider("src.retrieval.providers.serper", ("SERPER_API_KEY",), "serper"),
    "file": Provider("src.retrieval.providers.file", (), "file:PATH"),
}


def providers_help() -> str:
    """Return the forms of all providers, for help and messages."""
    return ", ".join(provider.form for provider in PROVIDERS.values())


def get_provider(spec: str, timeout: float = TIMEOUT) -> SearchProvider:
    """Return the provider that `spec` names: `google`, `google@BASE_URL`, `file:PATH`. Raises InputError as
    `parse_spec`.
    """
    kind, argument = parse_spec(spec)
    provider: SearchProvider = importlib.import_module(PROVIDERS[kind].module).load(argument, timeout)
    return provider


def parse_spec(spec: str) -> tuple[str, str]:
    """Return the provider's name, and its base URL or path ("" for the default address).

    Raises InputError for an unknown spec; its message lists the known forms.
    """
    name, at, address = spec.partition("@")
    if name in PROVIDERS and name != "file":
        return name, base_url(address, name) if at else ""
    if spec.startswith("file:") and spec != "file:":
        return "file", spec.removeprefix("file:")
    raise InputError(f"unknown provider {spec!r}; known are: {providers_help()} (NAME@BASE_URL for another address)")


def lacking(spec: str) -> str:
    """Return which environment variables the provider needs that are not set, as a message; "" when none.

    Raises InputError for a variable that is set and cannot be used.
    """
    kind, argument = parse_spec(spec)
    needed = [name for name in PROVIDERS[kind].variables if not (name == ADDRESS_VARIABLE and argument)]
    if missing := unset(kind, needed):
        return missing
    for name in needed:
        value = variable(kind, name)
        if name == ADDRESS_VARIABLE:
            base_url(value, name)
    return ""


def provider_file(spec: str) -> dict[str, Path]:
    """Return `{"provider": FILE}` for a spec that names a file, so the fingerprint holds its content; else `{}`."""
    kind, argument = parse_spec(spec)
    return {"provider": Path(argument)} if kind == "file" else {}
