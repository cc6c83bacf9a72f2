"""Web search providers by name: `get_provider("google").search(SearchQuery(0, "who said what"))`.

Several names, with commas between them, are one provider (`several.py`). `factcheck` among them finds no evidence; it
asks for the fact-checks of others (`fact_checks.py`). To add a provider, write a module with
`load(argument, timeout)`, and add it to `PROVIDERS`. API keys are read from the environment when a query is sent;
`lacking` reports missing ones before.
"""

import importlib
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from src.errors import InputError
from src.retrieval.providers.environment import base_url, unset, variable
from src.retrieval.providers.protocol import (
    FACT_CHECK_KEY,
    FACT_CHECKS,
    LATER,
    FactCheck,
    PartlyFailedError,
    RefusedQueryError,
    SearchProvider,
    SearchQuery,
    SearchResult,
)
from src.retrieval.providers.several import SeveralProviders

__all__ = [
    "FACT_CHECKS",
    "KEYLESS",
    "LATER",
    "PROVIDERS",
    "FactCheck",
    "PartlyFailedError",
    "RefusedQueryError",
    "SearchProvider",
    "SearchQuery",
    "SearchResult",
    "fact_check_address",
    "get_provider",
    "lacking",
    "provider_file",
    "provider_notes",
    "providers_help",
]

TIMEOUT = 30.0  # seconds for one complete answer
ADDRESS_VARIABLE = "SEARXNG_URL"
KEYLESS = "wikipedia,gdelt"  # needs no key


class NamedProvider(NamedTuple):
    """Entry of the table of providers.

    `make`: function from the argument of a spec (base URL or path, or "") and a timeout in seconds to the provider.
    `form`: how a spec is written, such as `file:PATH`.
    `variables`: environment variables that the provider needs.
    `note`: what whoever chooses the provider should know.
    """

    make: Callable[[str, float], SearchProvider]
    form: str
    variables: tuple[str, ...] = ()
    note: str = ""


def _made_by(module: str) -> Callable[[str, float], SearchProvider]:
    """Return a `make` function that imports the provider's module, with its HTTP client, only when it is called."""

    def make(argument: str, timeout: float) -> SearchProvider:
        made: SearchProvider = importlib.import_module(f"src.retrieval.providers.{module}").load(argument, timeout)
        return made

    return make


def _no_pages(argument: str, timeout: float) -> SearchProvider:
    raise InputError(f"{FACT_CHECKS} finds no evidence; name another provider, too: wikipedia,{FACT_CHECKS}")


PROVIDERS: dict[str, NamedProvider] = {
    "wikipedia": NamedProvider(_made_by("wikipedia"), "wikipedia"),
    "gdelt": NamedProvider(_made_by("gdelt"), "gdelt"),
    "brave": NamedProvider(_made_by("brave"), "brave", ("BRAVE_API_KEY",)),
    "serper": NamedProvider(_made_by("serper"), "serper", ("SERPER_API_KEY",)),
    "exa": NamedProvider(_made_by("exa"), "exa", ("EXA_API_KEY",)),
    "searxng": NamedProvider(_made_by("searxng"), "searxng", (ADDRESS_VARIABLE,)),
    "google": NamedProvider(
        _made_by("google"),
        "google",
        ("GOOGLE_API_KEY", "GOOGLE_CSE_ID"),
        "Google's Custom Search API takes no new customers and ends on 2027-01-01",
    ),
    "file": NamedProvider(_made_by("file"), "file:PATH"),
    FACT_CHECKS: NamedProvider(_no_pages, FACT_CHECKS, (FACT_CHECK_KEY,)),
}
_BETWEEN = re.compile(rf",(?=(?:{'|'.join(PROVIDERS)})(?:[@:,]|$))")  # a comma may also be part of a path or an address


def providers_help() -> str:
    """Return how the specs of all providers are written, for help and messages."""
    return ", ".join(provider.form for provider in PROVIDERS.values())


def get_provider(spec: str, timeout: float = TIMEOUT) -> SearchProvider:
    """Return the provider for a spec: `google`, `google@BASE_URL`, `file:PATH`, or several with commas between them.

    `timeout`: seconds for one complete answer. Raises InputError for an unknown spec, or one that finds no evidence.
    """
    specs = parse_specs(spec)
    finding = [one for one in specs if one[0] != FACT_CHECKS]
    made = [PROVIDERS[kind].make(argument, timeout) for kind, argument in finding or specs]
    return made[0] if len(made) == 1 else SeveralProviders(made)


def fact_check_address(spec: str) -> str | None:
    """Return where fact-checks of others are asked for, "" for the usual address; None if the spec asks for none."""
    return dict(parse_specs(spec)).get(FACT_CHECKS)


def parse_specs(spec: str) -> list[tuple[str, str]]:
    """Return the parts of each spec of a provider: the name, and the base URL or path ("" for the default address).

    Raises InputError for an unknown spec, whose message lists the known forms, for a repeated one, and for a file
    beside other providers.
    """
    specs = [_parts(one) for one in _BETWEEN.split(spec)]
    if len(set(specs)) < len(specs):
        raise InputError(f"{spec}: a provider is named twice")
    if len(specs) > 1 and any(kind == "file" for kind, _ in specs):
        raise InputError(f"{spec}: file:PATH is searched alone")
    return specs


def _parts(spec: str) -> tuple[str, str]:
    name, at, address = spec.partition("@")
    if name in PROVIDERS and name != "file":
        return name, base_url(address, name) if at else ""
    if spec.startswith("file:") and spec != "file:":
        return "file", spec.removeprefix("file:")
    known = f"{providers_help()} (NAME@BASE_URL for another address; several with commas between them)"
    raise InputError(f"unknown provider {spec!r}; known are: {known}")


def lacking(spec: str) -> str:
    """Return a message that names the missing environment variables of providers; "" if all are set.

    Raises InputError when the value of a variable is not valid.
    """
    return "; ".join(filter(None, (_lacking(kind, argument) for kind, argument in parse_specs(spec))))


def _lacking(kind: str, argument: str) -> str:
    needed = [name for name in PROVIDERS[kind].variables if not (name == ADDRESS_VARIABLE and argument)]
    if missing := unset(kind, needed):
        return missing
    for name in needed:
        value = variable(kind, name)
        if name == ADDRESS_VARIABLE:
            base_url(value, name)
    return ""


def provider_notes(spec: str) -> list[str]:
    """Return what whoever chooses these providers should know. Raises InputError for an unknown spec."""
    return [PROVIDERS[kind].note for kind, _ in parse_specs(spec) if PROVIDERS[kind].note]


def provider_file(spec: str) -> dict[str, Path]:
    """Return `{"provider": FILE}` for a spec `file:FILE`, as input file of the run's fingerprint; else `{}`."""
    kind, argument = parse_specs(spec)[0]
    return {"provider": Path(argument)} if kind == "file" else {}
