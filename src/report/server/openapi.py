"""OpenAPI 3.1 description of the API. Its schemas are derived from the records of requests and responses."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from src.report.server.events import STREAM
from src.report.server.record_texts import field_texts, record_text, records_within
from src.report.server.records import (
    ID,
    Accepted,
    CheckAnswer,
    CheckList,
    EmptyBody,
    Limit,
    Limits,
    Refusal,
    Start,
    State,
)
from src.report.server.submission import SEEN, ClaimSubmission
from src.serving.requests import JSON

Json = dict[str, Any]

ABOUT = "Ask for a claim to be checked, follow the check, read its result. One is checked at a time, others wait."
REFERENCE = "#/components/schemas/{name}"
RECORDS = (ClaimSubmission, EmptyBody, Accepted, CheckAnswer, State, CheckList, Refusal)
REFUSALS = {
    403: "a page of another site has asked",
    404: "there is no such check",
    408: "the body did not arrive in time",
    409: "the check is not over yet",
    413: "the body is too long",
    415: "the body is not sent as application/json",
    422: "something in the request is wrong; `field` says where",
    429: "the queue is full; Retry-After says when to try again",
    500: "the result cannot be read any more, or a fault of the program",
    503: "the server is being stopped",
    507: "the disk is full",
}
BEFORE = {  # refusals in plain text, of requests that are not read: what they mean, and their header
    400: ("the Host is none of ours", ""),
    401: ("a password is needed", "WWW-Authenticate"),
    429: ("too many wrong passwords at a time", "Retry-After"),
    503: ("too many connections are in use", "Retry-After"),
}
OF_BODY = (403, 408, 413, 415, 422, 500)
TEXT = {"type": "string"}
PLAIN = {"text/plain": {"schema": TEXT}}
SCHEMES = {one: {"type": "http", "scheme": one} for one in ("bearer", "basic")}


def description(limits: Limits, providers: Sequence[str]) -> Json:
    """Return the OpenAPI description; `providers` are the search providers that may be used."""
    _, schemas = msgspec.json.schema_components(RECORDS, ref_template=REFERENCE)
    del schemas["Claim"]["properties"]["claim_id"]["default"]  # -1, for files without ids: no valid claim_id
    _describe_properties(schemas)
    one = {"parameters": [_parameter("check_id", "path", {"type": "string", "pattern": f"^{ID}$"})]}
    pages = [_parameter("start", "query", msgspec.json.schema(Start)),
             _parameter("limit", "query", msgspec.json.schema(Limit))]  # fmt: skip
    state = _answer(State, "the state; a check that is over stays as it is")
    paths = {
        "/api/check": {
            "post": _operation("ask", "Ask for a check", {202: _accepted()}, (*OF_BODY, 429, 503, 507))
            | _body({"allOf": [_ref(ClaimSubmission)], "oneOf": _sources(limits, providers)}),
        },
        "/api/check/{check_id}": one | {
            "get": _operation("answer", "Status, and the result when it is done", {200: _answer(CheckAnswer)},
                              (404, 500)),
            "delete": _operation("delete", "Delete a check that is over", {204: {"description": "it is gone"}},
                                 (403, 404, 409, 500, 507)),
        },
        "/api/check/{check_id}/events": one | {
            "get": _operation("events", "Follow a check", {200: _stream()}, (403, 404, 500)),
        },
        "/api/check/{check_id}/cancel": one | {
            "post": _operation("cancel", "Cancel a check", {200: state}, (*OF_BODY, 404))
            | _body(_ref(EmptyBody), required=False),
        },
        "/api/checks": {
            "get": _operation("listing", "The history, newest first", {200: _answer(CheckList)}, (422, 500))
            | {"parameters": pages},
        },
    }  # fmt: skip
    return {
        "openapi": "3.1.0",
        "info": {"title": "Claims to check", "version": "1", "description": ABOUT},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": SCHEMES},
        "security": [{}, *({one: []} for one in SCHEMES)],  # {}: on loopback, no password is needed
    }


def _describe_properties(schemas: Mapping[str, Json]) -> None:
    """Move what docstrings of records say of their fields to the descriptions of these properties."""
    for name, record in records_within(RECORDS).items():
        schema = schemas[name]
        schema["description"] = record_text(record.__doc__ or "").about
        for field, text in field_texts(record).items():
            schema["properties"][field]["description"] = text


def _operation(name: str, summary: str, answers: dict[int, Json], refusals: Sequence[int]) -> Json:
    """Return the description of an operation, without parameters and body.

    `answers` are its responses by status, `refusals` the statuses, keys of `REFUSALS`, with which it refuses a request.
    Statuses 400, 401, 429 and 503 are added to all: before a request is read, it may be refused in plain text.
    """
    refused = {status: _answer(Refusal, REFUSALS[status]) for status in refusals}
    if 415 in refusals:
        refused[400] = _answer(Refusal, "the body is no JSON")
    for status, (about, header) in BEFORE.items():
        if own := refused.get(status):
            about, content = f"{about}; or {own['description']}", own["content"] | PLAIN
        else:
            content = PLAIN
        refused[status] = {"description": about, "content": content}
        if header:
            refused[status]["headers"] = {header: {"schema": TEXT}}
    responses = {str(status): answer for status, answer in (answers | refused).items()}
    return {"operationId": name, "summary": summary, "responses": responses}


def _body(schema: Json, *, required: bool = True) -> Json:
    return {"requestBody": {"required": required, "content": {JSON: {"schema": schema}}}}


def _sources(limits: Limits, providers: Sequence[str]) -> list[Json]:
    """Return the alternatives of a request: URLs, a text alone, or a search provider if the server has some."""
    urls = {"required": ["urls"], "properties": {"urls": {"minItems": 1, "maxItems": limits.urls}}}
    text: Json = {"required": ["text"], "properties": {"text": {"pattern": SEEN}}}
    search = {"required": ["search"], "properties": {"search": {"enum": list(providers)}}}
    alternatives = [
        urls | {"not": {"required": ["search"]}},
        text | {"not": {"anyOf": [{"required": ["urls"]}, {"required": ["search"]}]}},
    ]
    return [*alternatives, search | {"not": {"anyOf": [{"required": ["urls"]}, text]}}] if providers else alternatives


def _accepted() -> Json:
    following = {"operationId": "answer", "parameters": {"check_id": "$response.body#/id"}}
    links = {"answer": following, "cancel": following | {"operationId": "cancel"}}
    return _answer(Accepted, "in the queue") | {"headers": {"Location": {"schema": TEXT}}, "links": links}


def _stream() -> Json:
    """Return the response of the operation `events`; its schema describes a single event, as in OpenAPI 3.2."""
    about = "events `state`, and `end` as the last one, each with a State as its data; Last-Event-ID is heeded"
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": _ref(State)}
    fields = {"event": {"enum": ["state", "end"]}, "id": TEXT, "data": data}
    event = {"type": "object", "properties": fields, "required": list(fields)}
    return {"description": about, "content": {STREAM: {"schema": event}}}


def _parameter(name: str, place: str, schema: Json) -> Json:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _answer(record: type, about: str = "") -> Json:
    return {"description": about or record.__name__, "content": {JSON: {"schema": _ref(record)}}}


def _ref(record: type) -> Json:
    return {"$ref": REFERENCE.format(name=record.__name__)}
