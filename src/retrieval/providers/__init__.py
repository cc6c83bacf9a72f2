"""Web search behind one method: `get_provider("google").search(SearchQuery(0, "who said what"))`.

Table of providers by name, used by the search, a check and the server. To add a provider, write a module with
`load(argument, timeout)`, and add its line here. Keys are read from the environment when a query is sent; `lacking`
reports before what is missing.
"""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.retrieval.providers.environment import base_url, unset, variable
from src.retrieval.providers.protocol import SearchProvider, SearchQuery, SearchResult

__all__ = [
    "PROVIDERS",
    "SearchProvider",
    "SearchQuery",
    "SearchResult",
    "get_provider",
    "lacking",
    "provider_file",
    "providers_help",
]

TIMEOUT = 30.0  # seconds for one complete answer
ADDRESS_VARIABLE = "SEARXNG_URL"


class NamedProvider(NamedTuple):
    """Entry of the table. `make` takes the argument of a spec ("" if it has none) and the seconds for one answer.

    `form` is how a spec is written. `variables` are the environment variables that the provider reads.
    """

    make: Callable[[str, float], SearchProvider]
    form: str
    variables: tuple[str, ...] = ()


def _made_by(module: str) -> Callable[[str, float], SearchProvider]:
    """Return the function that imports a provider's module, with its HTTP client, when the provider is used."""

    def make(argument: str, timeout: float) -> SearchProvider:
        made: SearchProvider = importlib.import_module(f"src.retrieval.providers.{module}").load(argument, timeout)
        return made

    return make


PROVIDERS: dict[str, NamedProvider] = {
    "google": NamedProvider(_made_by("google"), "google", ("GOOGLE_API_KEY", "GOOGLE_CSE_ID")),
    "searxng": NamedProvider(_made_by("searxng"), "searxng", (ADDRESS_VARIABLE,)),
    "brave": NamedProvider(_made_by("brave"), "brave", ("BRAVE_API_KEY",)),
    "serper": NamedProvider(_made_by("serper"), "serper", ("SERPER_API_KEY",)),
    "file": NamedProvider(_made_by("file"), "file:PATH"),
}


def providers_help() -> str:
    """Return the forms of all providers, for help and messages."""
    return ", ".join(provider.form for provider in PROVIDERS.values())


def get_provider(spec: str, timeout: float = TIMEOUT) -> SearchProvider:
    """Return the provider that `spec` names: `google`, `google@BASE_URL`, `file:PATH`. Raises InputError as
    `parse_spec`.
    """
    kind, argument = parse_spec(spec)
    return PROVIDERS[kind].make(argument, timeout)


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
