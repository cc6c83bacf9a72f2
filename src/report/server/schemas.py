"""A claim as people and programs send it, and the check of what is accepted.

Limitations: no path of this machine, neither a knowledge store nor a `file:` of URLs, and no address of a search
engine. Users of the server may not read files or send requests to any host.
"""

import datetime
import re
from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from src.check.asking import claim_of
from src.check.records import CheckRequest, Sources, Strategy
from src.errors import InputError, one_line
from src.retrieval.providers import PROVIDERS, lacking
from src.stance.selection import CHOSEN

MOST_URLS = 50
CONTROL = r"[\x00-\x1f\x7f-\x9f]"
SEEN = r"[^\s\x00-\x1f\x7f-\x9f]"  # a visible character
HOST = r"[^\s\x00-\x20\x7f-\x9f/?#@:\[\]\\]+"
PORT = r"(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
URL = rf"^[hH][tT][tT][pP][sS]?://{HOST}{PORT}([/?#]{SEEN}*)?$"

# The patterns are for the API's description; the code below refuses other values with better messages.
ClaimText = Annotated[str, Meta(max_length=4000, extra_json_schema={"pattern": SEEN})]
WebUrl = Annotated[str, Meta(max_length=2000, extra_json_schema={"pattern": URL})]


class Sent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim to check, with either `urls` (pages to read) or `search` (a search provider).

    `date` is the day of the claim, `top_n` the number of question-answer pairs that are kept.
    """

    claim: ClaimText
    urls: list[WebUrl] | msgspec.UnsetType = msgspec.UNSET
    search: str | msgspec.UnsetType = msgspec.UNSET
    date: datetime.date | None = None
    speaker: Annotated[str, Meta(max_length=200)] = ""
    road: Strategy = Strategy.QUESTIONS
    top_n: Annotated[int, Meta(ge=1, le=10)] = CHOSEN


def asked(sent: Sent, providers: Sequence[str], most_urls: int = MOST_URLS) -> CheckRequest:
    """Return the check to run. Raises InputError for a wrong field."""
    claim = _plain(sent.claim)
    if not claim:
        raise InputError("is empty", field="claim")
    found = CheckRequest(
        claim=claim,
        sources=_sources(sent, providers, most_urls),
        date="" if sent.date is None else f"{sent.date.day:02}-{sent.date.month:02}-{sent.date.year:04}",
        speaker=_plain(sent.speaker),
        strategy=sent.road,
        top_n=sent.top_n,
    )
    claim_of(found)
    return found


def offered() -> tuple[str, ...]:
    """Return the search providers whose keys are set in the environment."""
    return tuple(name for name in PROVIDERS if name != "file" and not _lacking(name))


def _sources(sent: Sent, providers: Sequence[str], most_urls: int) -> Sources:
    if (sent.urls is msgspec.UNSET) == (sent.search is msgspec.UNSET):
        wanted = "give URLs or a search provider, one of the two" if providers else "give URLs"
        raise InputError(wanted, field="urls")
    if sent.search is not msgspec.UNSET:
        return Sources(search=_provider(sent.search, providers))
    urls = sent.urls or []
    if not 1 <= len(urls) <= most_urls:
        raise InputError(f"{len(urls)} URLs; give 1 to {most_urls}", field="urls")
    if (wrong := next((n for n, url in enumerate(urls) if not re.fullmatch(URL, url)), None)) is not None:
        raise InputError(f"{urls[wrong][:80]!r} is no http or https address", field=f"urls[{wrong}]")
    return Sources(urls=tuple(dict.fromkeys(urls)))


def _provider(name: str, providers: Sequence[str]) -> str:
    if name in providers:
        return name
    known = ", ".join(providers) or "none: no provider's key is set where the server runs"
    raise InputError(f"{name!r} is no search provider here; known are: {known}", field="search")


def _lacking(name: str) -> str:
    try:
        return lacking(name)
    except InputError as error:
        return str(error)


def _plain(text: str) -> str:
    """Return the text as one line without control characters."""
    return one_line(re.sub(CONTROL, " ", text))
