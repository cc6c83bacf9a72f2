"""Validation of a request to check a claim: its text, its date, its sources of pages."""

import re
from datetime import date, timedelta
from urllib.parse import urlsplit

from src.check.records import CheckRequest, Sources
from src.errors import InputError, RefusedClaimError
from src.programs.whole_claim import LONGEST_CLAIM
from src.records import Claim, Document
from src.retrieval.leakage import read_day
from src.retrieval.providers import get_provider, lacking
from src.store import located, read_bytes

_LETTER = r"0-9A-Za-z\u00aa-\u1fff\u2c00-\u2dff\u3040-\ud7ff"  # of words, and digits
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"  # languages without spaces
TWO_WORDS = rf"[{_LETTER}][^{_LETTER}]+[{_LETTER}]|[{_UNSPACED}]"  # in Python as in the schema of the API
NO_CLAIM = 'a claim is a sentence that says something, such as "Eels swim to the Sargasso Sea."'
HOW = "give URLs (--urls), documents (--file, --text), a search (--search) or a knowledge store (--knowledge_store)"


def claim_of(request: CheckRequest) -> Claim:
    """Return the claim of a request as a `Claim`, the record that all steps read, with claim_id 0.

    Raises RefusedClaimError for a text that is no claim, InputError when another field of the request is invalid, or
    its source of pages cannot be used.
    """
    text = " ".join(request.claim.split())
    if not text:
        raise RefusedClaimError("the claim is empty")
    if text.endswith("?"):
        raise RefusedClaimError("the claim is a question; put it as a statement")
    if not re.search(TWO_WORDS, text):
        raise RefusedClaimError(f"the claim has fewer than two words; {NO_CLAIM}")
    if len(text) > LONGEST_CLAIM:
        raise RefusedClaimError(f"the claim has {len(text)} characters; at most {LONGEST_CLAIM} are checked")
    day = _day(request.date)
    for name, number in (("top_n", request.top_n), ("top_k", request.top_k)):
        if number is not None and number < 1:
            raise InputError(f"{number} is not at least 1", field=name)
    _check_sources(request.sources)
    return Claim(text, 0, claim_date=day or None, speaker=request.speaker or None)


def _day(text: str) -> str:
    """Return the date as the data sets write it, day-month-year; "" for an empty text.

    Raises InputError for another text, and for a day in the future.
    """
    if not text:
        return ""
    day = None if re.search("[/.]", text) else read_day(text)  # 7/8 is a day of July or of August
    if day is None:
        raise InputError(f"{text!r} is no day, such as 31-10-2020 or 2020-10-31", field="date")
    if day > date.today() + timedelta(days=1):  # today, in every time zone
        raise InputError(f"{text!r} lies in the future", field="date")
    return f"{day.day}-{day.month}-{day.year}"


def _check_sources(sources: Sources) -> None:
    """Raise InputError unless there is a source of pages, and it can be used."""
    is_read = bool(sources.urls or sources.search or sources.documents)
    if not is_read and sources.knowledge_store is None:
        raise InputError(f"no source of pages; {HOW}")
    if is_read and sources.knowledge_store is not None:
        raise InputError("a knowledge store is used alone, without URLs, documents or a search")
    for place, url in enumerate(sources.urls):
        if wrong := wrong_url(url):
            raise InputError(f"{url!r} {wrong}", field=f"urls[{place}]")
    if sources.search:
        get_provider(sources.search)
        if missing := lacking(sources.search):
            raise InputError(missing)
    if sources.knowledge_store is not None:
        located(read_bytes(sources.knowledge_store), Document, sources.knowledge_store)


def wrong_url(url: str) -> str:
    """Return why the text is not an http or https URL; "" if it is one."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_good = False
    return "" if is_good and not any(sign.isspace() for sign in url) else "is no http or https URL"
