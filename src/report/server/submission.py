"""Claims submitted through the API or the form, and their validation.

Limitations: no path of this machine may be given, neither a knowledge store nor a `file:` of URLs, and no address of a
search engine. Users of the server must not be able to read files or send requests to any host.
"""

import datetime
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from src.check.asking import TWO_WORDS, claim_of
from src.check.records import CheckRequest, OwnDocument, Sources, Strategy
from src.errors import InputError, one_line
from src.retrieval.providers import FACT_CHECKS, KEYLESS, PROVIDERS, lacking
from src.serving.refused import RefusedError
from src.shape_error import shape_error

LONGEST = 400_000  # bytes of a body
MOST_TEXT = 30_000  # characters of a text, each up to nine bytes of a form
FOREIGN = "a page of another site may not ask for this"
FORM_TYPE = "application/x-www-form-urlencoded"
MOST_FIELDS = 20  # of a form
MOST_URLS = 50
CONTROL = r"[\x00-\x1f\x7f-\x9f]"
SEEN = r"[^\s\x00-\x1f\x7f-\x9f]"  # a visible character
HOST = r"[^\s\x00-\x20\x7f-\x9f/?#@:\[\]\\]+"
PORT = r"(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?"
URL = rf"^[hH][tT][tT][pP][sS]?://{HOST}{PORT}([/?#]{SEEN}*)?$"

# The patterns are for the API's description; the code below refuses other values with better messages.
ClaimText = Annotated[str, Meta(max_length=4000, extra_json_schema={"pattern": TWO_WORDS})]
WebUrl = Annotated[str, Meta(max_length=2000, extra_json_schema={"pattern": URL})]


class ClaimSubmission(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A claim to check, with `urls` and `text`, or with `search`.

    `claim`: text of the claim.
    `urls`: pages to read.
    `text`: text to read as evidence.
    `search`: name of a search provider.
    `date`: day of the claim.
    `speaker`: who made the claim; what he says is not evidence for it.
    `strategy`: strategy for finding the verdict.
    `top_n`: most question-answer pairs of evidence; null: 5, or 10 by one call of a large model.
    """

    claim: ClaimText
    urls: list[WebUrl] | msgspec.UnsetType = msgspec.UNSET
    text: Annotated[str, Meta(max_length=MOST_TEXT)] = ""
    search: str | msgspec.UnsetType = msgspec.UNSET
    date: datetime.date | None = None
    speaker: Annotated[str, Meta(max_length=200)] = ""
    strategy: Strategy = Strategy.QUESTIONS
    top_n: Annotated[int, Meta(ge=1, le=10)] | None = None


def request_of(submission: ClaimSubmission, providers: Sequence[str], most_urls: int = MOST_URLS) -> CheckRequest:
    """Return the request for the check of a submission. Raises InputError for a wrong field."""
    claim = _plain(submission.claim)
    if not claim:
        raise InputError("is empty", field="claim")
    request = CheckRequest(
        claim=claim,
        sources=_sources(submission, providers, most_urls),
        date=""
        if submission.date is None
        else f"{submission.date.day:02}-{submission.date.month:02}-{submission.date.year:04}",
        speaker=_plain(submission.speaker),
        strategy=submission.strategy,
        top_n=submission.top_n,
        every_set=True,
    )
    claim_of(request)
    return request


def offered_providers() -> tuple[str, ...]:
    """Return what can be searched by: several providers without a key, and each provider whose keys are set."""
    return KEYLESS, *(name for name in PROVIDERS if name not in ("file", FACT_CHECKS) and not _lacking(name))


def _sources(submission: ClaimSubmission, providers: Sequence[str], most_urls: int) -> Sources:
    text = submission.text if re.search(SEEN, submission.text) else ""
    is_given = submission.urls is not msgspec.UNSET or bool(text)
    if is_given == (submission.search is not msgspec.UNSET):
        wanted = "give URLs or a text, or else a search provider" if providers else "give URLs or a text"
        raise InputError("a search is used without URLs and text" if is_given else wanted, field="urls")
    if submission.search is not msgspec.UNSET:
        return Sources(search=_provider(submission.search, providers))
    documents = (OwnDocument("text:1", text.encode()),) if text else ()
    urls = submission.urls or []
    if len(urls) > most_urls or not (urls or documents):
        raise InputError(f"{len(urls)} URLs; give 1 to {most_urls}", field="urls")
    if (wrong := next((n for n, url in enumerate(urls) if not re.fullmatch(URL, url)), None)) is not None:
        raise InputError(f"{urls[wrong][:80]!r} is no http or https address", field=f"urls[{wrong}]")
    return Sources(urls=tuple(dict.fromkeys(urls)), documents=documents)


def _provider(name: str, providers: Sequence[str]) -> str:
    """Return the spec of a search, with fact-checks by others where the server has the key for them."""
    if name in providers:
        return name if _lacking(FACT_CHECKS) else f"{name},{FACT_CHECKS}"
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


LABELS = {
    "claim": "Claim",
    "urls": "Sources",
    "text": "Text of your own",
    "search": "Where to search",
    "date": "Date of the claim",
    "speaker": "Who said it",
    "strategy": "Method",
    "top_n": "Pieces of evidence",
}


class Form(msgspec.Struct, frozen=True):
    """Fields of the form as typed; `urls` has one URL per line. `token` proves that this server made the form."""

    token: str = ""
    claim: str = ""
    urls: str = ""
    text: str = ""
    search: str = ""
    date: str = ""
    speaker: str = ""
    strategy: str = "questions"
    top_n: str = ""


def renamed(data: bytes) -> bytes:
    """Return JSON with the key `strategy` in the place of `road`, its name before 0.1.0.

    Quotation marks within a text are escaped, so only a key matches.
    """
    return re.sub(rb'"road"(?=\s*:)', b'"strategy"', data)


def read_form(body: bytes) -> Form:
    """Return the form in the body of a request. Raises RefusedError for any other body.

    A line break is one character, as browsers count it for `maxlength`, although they send two.
    """
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        named = {"strategy" if name == "road" else name: value.replace("\r\n", "\n") for name, value in fields}
        return msgspec.convert(named, Form)
    except ValueError:
        raise RefusedError("is no form of this server", status=400, field="body") from None


def submission_of(form: Form) -> ClaimSubmission:
    """Return the submission made by a form. Raises InputError for a wrong field."""
    fields: dict[str, object] = {
        "claim": form.claim,
        "speaker": form.speaker,
        "strategy": form.strategy,
        "text": form.text,
    }
    if form.top_n:
        if not re.fullmatch(r"\d{1,4}", form.top_n, re.ASCII):
            raise InputError(f"{form.top_n[:20]!r} is no whole number", field="top_n")
        fields["top_n"] = int(form.top_n)
    if urls := form.urls.split():
        fields["urls"] = urls
    elif form.search and not re.search(SEEN, form.text):
        fields["search"] = form.search
    if form.date:
        fields["date"] = form.date
    return submission_with(fields)


def submission_with(fields: Mapping[str, object]) -> ClaimSubmission:
    """Return the submission with these fields. Raises InputError for a wrong field."""
    try:
        return msgspec.convert(fields, ClaimSubmission, strict=False)
    except msgspec.ValidationError as error:
        wrong = shape_error(error, Path("form"), 1, ClaimSubmission)
        raise InputError(wrong.message, field=wrong.field) from None


def label_of(field: str) -> str:
    """Return the form's label of a field of the submission: `Sources, number 1` for `urls[0]`."""
    name, _, place = field.partition("[")
    label = LABELS.get(name, name)
    return f"{label}, number {int(place.removesuffix(']')) + 1}" if place else label


def form_of(submission: ClaimSubmission) -> Form:
    """Return a form filled with an earlier submission."""
    return Form(
        claim=submission.claim,
        urls="\n".join(submission.urls or []),
        text=submission.text,
        search=submission.search or "",
        date=submission.date.isoformat() if submission.date else "",
        speaker=submission.speaker,
        strategy=submission.strategy,
        top_n=str(submission.top_n or ""),
    )
