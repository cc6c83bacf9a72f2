"""The form as browsers send it, and as it is shown again when it has an error."""

from pathlib import Path
from urllib.parse import parse_qsl

import msgspec

from src.errors import InputError
from src.report.server.schemas import Sent
from src.serving.refused import RefusedError
from src.shape_error import shape_error
from src.stance.selection import CHOSEN

TYPE = "application/x-www-form-urlencoded"
MOST_FIELDS = 20


LABELS = {
    "claim": "Claim",
    "urls": "Addresses of pages",
    "search": "Search provider",
    "date": "Day of the claim",
    "speaker": "Who said it",
    "road": "Verdict by",
    "top_n": "Pieces of evidence",
}


class Form(msgspec.Struct, frozen=True):
    """Fields of the form as typed; `urls` has one URL a line. `token` proves that this server made the form."""

    token: str = ""
    claim: str = ""
    urls: str = ""
    search: str = ""
    date: str = ""
    speaker: str = ""
    road: str = "questions"
    top_n: str = str(CHOSEN)


def read_form(body: bytes) -> Form:
    """Return the form of a request's body. Raises RefusedError for any other body."""
    try:
        fields = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict")
        return msgspec.convert(dict(fields), Form)
    except ValueError:
        raise RefusedError("is no form of this server", status=400, field="body") from None


def sent_of(form: Form) -> Sent:
    """Return the claim of the form. Raises InputError for a wrong field."""
    fields: dict[str, object] = {"claim": form.claim, "speaker": form.speaker, "road": form.road, "top_n": form.top_n}
    if urls := form.urls.split():
        fields["urls"] = urls
    if form.search:
        fields["search"] = form.search
    if form.date:
        fields["date"] = form.date
    try:
        return msgspec.convert(fields, Sent, strict=False)
    except msgspec.ValidationError as error:
        said = shape_error(error, Path("form"), 1, Sent)
        raise InputError(said.message, field=said.field) from None


def labelled(field: str) -> str:
    """Return the form's label of a field: `urls[0]` is `Addresses of pages, number 1`."""
    name, _, place = field.partition("[")
    said = LABELS.get(name, name)
    return f"{said}, number {int(place.removesuffix(']')) + 1}" if place else said


def form_of(sent: Sent) -> Form:
    """Return the form filled with an earlier claim, to ask for it again."""
    return Form(
        claim=sent.claim,
        urls="\n".join(sent.urls or []),
        search=sent.search or "",
        date=sent.date.isoformat() if sent.date else "",
        speaker=sent.speaker,
        road=sent.road,
        top_n=str(sent.top_n),
    )
