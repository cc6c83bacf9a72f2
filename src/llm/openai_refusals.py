"""What a server with the OpenAI interface says when it refuses a request, and which fields it does not take.

Servers word refusals in many ways: OpenAI and most others as `{"error": {"message", "param", "code"}}`, Gemini as a
list of that, FastAPI as `{"detail": [{"type", "loc", "msg"}]}`, Mistral the same inside `message`. A field counts as
refused only if it stands where a message names a refused field, never because its name occurs in the text: an error may
repeat words of the prompt, and so of a web page.

Limitations: in English. A value that is refused, such as a temperature that is too high, is not learned from.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from src.json_decoding import decode
from src.llm.openai_calls import FORMAT, LEFT_OUT, LIMIT, NEW_LIMIT, shown

LONGEST = 600  # characters of a message that are read
SCHEMA_KIND = "json_schema"  # kind of FORMAT
UNSUPPORTED = ("unsupported_parameter", "unsupported_value", "unknown_parameter")
_QUOTED = r"['\"`]?({names})['\"`]?"
_FIELD = _QUOTED.format(names="|".join((*LEFT_OUT, FORMAT, SCHEMA_KIND, LIMIT)))
_END = r"(?=\s*(?:[.,;:!)]|$))"  # of a clause
_PLACES = tuple(
    re.compile(place.replace("FIELD", _FIELD), re.IGNORECASE)
    for place in (
        r"(?:unsupported|unknown|unrecogni[sz]ed|invalid) (?:parameter|value|name|field|argument)s?:? FIELD(?![\w.])",
        r"unrecogni[sz]ed request arguments? supplied: FIELD",
        r"(?<![\w-])FIELD (?:is|are) (?:not|un)[ -]?(?:supported|allowed|permitted|enabled|available|implemented)\b",
        r"(?:does not|doesn't|do not) (?:support|accept|allow)(?: the)?(?: parameters?| fields?)? FIELD" + _END,
        r"not allowed to (?:request|use|set) FIELD\b",
        r"invalid FIELD: only\b",
        r"'loc': \('body', FIELD\), 'msg': 'extra",
    )
)
_REPEATED = re.compile(r"['\"]input['\"]:.*", re.DOTALL)  # what pydantic repeats of the request


class Refusal(NamedTuple):
    """Refusal of a request.

    `message`: what the server says, as one line.
    `fields`: fields that it does not take.
    """

    message: str
    fields: frozenset[str]

    @property
    def wants_new_limit(self) -> bool:
        """Return True if it refuses LIMIT and names NEW_LIMIT."""
        return LIMIT in self.fields and NEW_LIMIT in self.message


def read_refusal(body: bytes) -> Refusal:
    """Return the refusal in the body of an error answer, of whatever shape."""
    try:
        answer: object = decode(body, Any)
    except msgspec.DecodeError:
        answer = body.decode("utf-8", "replace")
    parts = list(_parts(answer))
    message = " ".join(text for text, _ in parts) or body.decode("utf-8", "replace")
    own = {field for _, field in parts if field}
    read = _REPEATED.sub("", message)[:LONGEST]
    own |= {match[1].lower() for place in _PLACES for match in place.finditer(read)}
    if SCHEMA_KIND in own:
        own = own - {SCHEMA_KIND} | {FORMAT}
    return Refusal(shown(message), frozenset(own))


def _parts(answer: object) -> Iterator[tuple[str, str]]:
    """Yield each message of an error answer, with the field that it refuses, or "" where none is named apart."""
    if isinstance(answer, str):
        yield answer, ""
    elif isinstance(answer, list):
        for one in answer:
            yield from _parts(one)
    elif isinstance(answer, dict):
        if isinstance(answer.get("msg"), str):
            yield from _detail(answer)
        elif isinstance(answer.get("message"), str):
            is_named = answer.get("code") in UNSUPPORTED and isinstance(answer.get("param"), str)
            yield answer["message"], answer["param"] if is_named else ""
        else:
            for name in ("error", "message", "detail"):
                yield from _parts(answer.get(name))


def _detail(detail: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what FastAPI says of one field."""
    path = [str(part) for part in detail["loc"]] if isinstance(detail.get("loc"), list) else []
    is_extra = detail.get("type") == "extra_forbidden" and bool(path)
    yield f"{'.'.join(path)}: {detail['msg']}" if path else detail["msg"], path[-1] if is_extra else ""
