"""Web search providers by name: `get_provider("google").search(SearchQuery(0, "who said what"))`.

To add a provider, write a module with `load(argument, timeout)`, and add it to `PROVIDERS`. API keys are read from the
environment when a query is sent; `lacking` reports missing ones before.
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
    """Entry of the table of providers.

    `make`: function from the argument of a spec (base URL or path, or "") and a timeout in seconds to the provider.
    `form`: how a spec is written, such as `file:PATH`.
    `variables`: environment variables that the provider needs.
    """

    make: Callable[[str, float], SearchProvider]
    form: str
    variables: tuple[str, ...] = ()


def _made_by(module: str) -> Callable[[str, float], SearchProvider]:
    """Return a `make` function that imports the provider's module, with its HTTP client, only when it is called."""

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
    """Return how the specs of all providers are written, for help and messages."""
    return ", ".join(provider.form for provider in PROVIDERS.values())


def get_provider(spec: str, timeout: float = TIMEOUT) -> SearchProvider:
    """Return the provider for a spec: `google`, `google@BASE_URL`, `file:PATH`. Raises InputError for an unknown spec.

    `timeout`: seconds for one complete answer.
    """
    kind, argument = parse_spec(spec)
    return PROVIDERS[kind].make(argument, timeout)


def parse_spec(spec: str) -> tuple[str, str]:
    """Return the parts of a provider spec: the name, and the base URL or path ("" for the default address).

    Raises InputError for an unknown spec; its message lists the known forms.
    """
    name, at, address = spec.partition("@")
    if name in PROVIDERS and name != "file":
        return name, base_url(address, name) if at else ""
    if spec.startswith("file:") and spec != "file:":
        return "file", spec.removeprefix("file:")
    raise InputError(f"unknown provider {spec!r}; known are: {providers_help()} (NAME@BASE_URL for another address)")


def lacking(spec: str) -> str:
    """Return a message that names the missing environment variables of a provider; "" if all are set.

    Raises InputError when the value of a variable is not valid.
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
    """Return `{"provider": FILE}` for a spec `file:FILE`, as input file of the run's fingerprint; else `{}`."""
    kind, argument = parse_spec(spec)
    return {"provider": Path(argument)} if kind == "file" else {}
