"""OpenAPI 3.1 description of the API; its schemas are generated from the records that are read and written."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from src.report.server.answers import Accepted, CheckAnswer, Limit, Listing, Nothing, Start, State, Wrong
from src.report.server.events import STREAM
from src.report.server.limits import Limits
from src.report.server.records import ID
from src.report.server.schemas import Sent
from src.serving.received import JSON

Json = dict[str, Any]

ABOUT = "Ask for a claim to be checked, follow the check, read its result. One is checked at a time, others wait."

REFERENCE = "#/components/schemas/{name}"
SHAPES = (Sent, Nothing, Accepted, CheckAnswer, State, Listing, Wrong)
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
    507: "the disk takes nothing",
}
OF_BODY = (403, 408, 413, 415, 422, 500, 507)


def description(limits: Limits, providers: Sequence[str]) -> Json:
    """Return the description; `providers` are the offered search providers."""
    _, components = msgspec.json.schema_components(SHAPES, ref_template=REFERENCE)
    one = {"parameters": [_parameter("check_id", "path", {"type": "string", "pattern": f"^{ID}$"})]}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Claims to check", "version": "1", "description": ABOUT},
        "paths": {
            "/api/check": {"post": _ask(limits, providers)},
            "/api/check/{check_id}": one | {"get": _answer(), "delete": _delete()},
            "/api/check/{check_id}/events": one | {"get": _events()},
            "/api/check/{check_id}/cancel": one | {"post": _cancel()},
            "/api/checks": {"get": _listing()},
        },
        "components": {"schemas": components},
    }


def _ask(limits: Limits, providers: Sequence[str]) -> Json:
    by_urls = {"required": ["urls"], "properties": {"urls": {"minItems": 1, "maxItems": limits.urls}}}
    by_search = {"required": ["search"], "properties": {"search": {"enum": list(providers)}}}
    ways = [by_urls | {"not": {"required": ["search"]}}]
    ways += [by_search | {"not": {"required": ["urls"]}}] if providers else []
    following = {"operationId": "answer", "parameters": {"check_id": "$response.body#/id"}}
    accepted = _json("in the queue", Accepted) | {
        "headers": {"Location": {"schema": {"type": "string"}}},
        "links": {"answer": following, "cancel": following | {"operationId": "cancel"}},
    }
    body = {"allOf": [_ref(Sent)], "oneOf": ways}
    found = _operation("ask", "Ask for a check", {202: accepted}, (*OF_BODY, 429, 503), body)
    found["responses"]["429"]["headers"] = {"Retry-After": {"schema": {"type": "string"}}}
    return found


def _answer() -> Json:
    return _operation("answer", "Status, and the result when it is done", {200: _json("", CheckAnswer)}, (404, 500))


def _delete() -> Json:
    done: Json = {"description": "it is gone"}
    return _operation("delete", "Delete a check that is over", {204: done}, (403, 404, 409, 500, 507))


def _events() -> Json:
    """Return the operation; its schema is that of one event, as in OpenAPI 3.2."""
    told = "events `state`, and `end` as the last one, each with a State as its data; Last-Event-ID is heeded"
    data = {"type": "string", "contentMediaType": JSON, "contentSchema": _ref(State)}
    fields = {"event": {"enum": ["state", "end"]}, "id": {"type": "string"}, "data": data}
    event = {"type": "object", "properties": fields, "required": list(fields)}
    stream = {"description": told, "content": {STREAM: {"schema": event}}}
    return _operation("events", "Follow a check", {200: stream}, (403, 404, 500))


def _cancel() -> Json:
    found = {200: _json("how it stands; a check that is over stays as it is", State)}
    return _operation("cancel", "Cancel a check", found, (*OF_BODY, 404), _ref(Nothing), required=False)


def _listing() -> Json:
    shapes = {"start": Start, "limit": Limit}
    parameters = [_parameter(name, "query", msgspec.json.schema(shape)) for name, shape in shapes.items()]
    found = _operation("listing", "The history, newest first", {200: _json("", Listing)}, (422, 500))
    return found | {"parameters": parameters}


def _operation(
    name: str,
    summary: str,
    answers: Json | dict[int, Json],
    refusals: Sequence[int],
    body: Json | None = None,
    *,
    required: bool = True,
) -> Json:
    """Return an operation; `body` is the schema of the request's body."""
    wrong: Json = {"description": "the Host is none of ours", "content": {"text/plain": {"schema": {"type": "string"}}}}
    if body is not None:
        wrong["content"][JSON] = {"schema": _ref(Wrong)}
    responses = {str(status): answer for status, answer in answers.items()} | {"400": wrong}
    responses |= {str(status): _json(REFUSALS[status], Wrong) for status in refusals}
    found: Json = {"operationId": name, "summary": summary, "responses": responses}
    return found | ({"requestBody": {"required": required, "content": {JSON: {"schema": body}}}} if body else {})


def _parameter(name: str, place: str, schema: Mapping[str, object]) -> Json:
    return {"name": name, "in": place, "required": place == "path", "schema": schema}


def _json(told: str, shape: type) -> Json:
    return {"description": told or shape.__name__, "content": {JSON: {"schema": _ref(shape)}}}


def _ref(shape: type) -> Json:
    return {"$ref": REFERENCE.format(name=shape.__name__)}
