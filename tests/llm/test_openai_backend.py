import json
import re
import threading
import time
from collections.abc import Iterator

import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as HttpRequest
from werkzeug import Response

from src.errors import Cancelled, FatalError, InputError, ModelError
from src.llm import LanguageModel, Options, Reply, Request, get_llm
from src.llm.cache import file_name
from src.llm.openai_backend import HOST
from src.llm.openai_calls import same_fields
from src.llm.protocol import PartialError
from src.waiting import while_wanted
from tests.retrieval.web.fault_server import FaultServer
from tests.retrieval.web.faults import FAULTS

CHAT, PLAIN = "/v1/chat/completions", "/v1/completions"


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "word")


def model_of(server: HTTPServer, options: Options | None = None) -> LanguageModel:
    return get_llm(f"openai:tiny@{server.url_for('/v1')}", options or Options(timeout=5.0, max_retries=2))


def chat_answer(text: str | None, finish: str = "stop", **more: object) -> dict[str, object]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish} | more
    usage = {"prompt_tokens": 11, "completion_tokens": 4, "total_tokens": 15}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "tiny", "choices": [choice], "usage": usage}


def plain_answer(text: str, **more: object) -> dict[str, object]:
    choice = {"index": 0, "text": text, "finish_reason": "length", "logprobs": None} | more
    return {"id": "1", "object": "text_completion", "created": 1, "model": "tiny", "choices": [choice]}


def test_chat(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT, headers={"Authorization": "Bearer word"}).respond_with_json(chat_answer("Yes.\nNo"))
    request = Request("Is it?", chat=True, system="Be brief.", stop=("\n",), max_new_tokens=9, seed=4)
    (reply,) = model_of(httpserver).complete([request])
    assert (reply.text, reply.prompt_tokens, reply.new_tokens, reply.stopped) == ("Yes.", 11, 4, "stop")
    sent = json.loads(httpserver.log[0][0].data)
    assert [turn["role"] for turn in sent["messages"]] == ["system", "user"]
    assert (sent["max_tokens"], sent["stop"], sent["seed"], sent["temperature"]) == (9, ["\n"], 4, 0.0)


REFUSAL = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."


def takes_new_limit(request: HttpRequest) -> Response:
    sent = json.loads(request.data)
    if "max_tokens" not in sent:
        return Response(json.dumps(chat_answer(f"Yes, {sent['max_completion_tokens']}.")), mimetype="application/json")
    error = {"message": REFUSAL, "param": "max_tokens", "code": "unsupported_parameter"}
    return Response(json.dumps({"error": error}), 400, mimetype="application/json")


@pytest.mark.parametrize(
    "spec",
    ["openai:m@localhost:9", "openai:qwen3:14b@127.0.0.1/v1", "openai:m@models.example.org/v1", "openai:m@gpu1:8000"],
)
def test_an_address_without_its_scheme_is_refused(spec: str) -> None:
    with pytest.raises(InputError, match="the address of a server begins with http:// or https://"):
        get_llm(spec, Options())


@pytest.mark.parametrize("name", ["@cf/meta/llama", "claude@20240620", "m@v1.2"])
def test_names_with_an_at_sign_are_names(name: str) -> None:
    assert get_llm(f"openai:{name}@http://127.0.0.1:9/v1", Options()).info.name == name
    assert HOST.search(name) is None


def test_a_spec_without_a_name_is_refused() -> None:
    with pytest.raises(InputError, match="no model is named"):
        get_llm("openai:@http://127.0.0.1:9/v1", Options())


def test_a_refused_limit_is_sent_under_its_newer_name(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_handler(takes_new_limit)
    model = model_of(httpserver)
    assert [reply.text for reply in model.complete([Request("Is it?", chat=True, max_new_tokens=9)])] == ["Yes, 9."]
    assert len(httpserver.log) == 2
    assert len(model.complete([Request(f"Is it {number}?", chat=True) for number in range(3)])) == 3
    assert len(httpserver.log) == 5


def test_the_newer_name_of_the_limit_can_be_chosen(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_handler(takes_new_limit)
    httpserver.expect_request(PLAIN).respond_with_json(plain_answer("in the end"))
    model = model_of(httpserver, Options(server_limit="max_completion_tokens"))
    model.complete([Request("Is it?", chat=True), Request("It is")])
    sent = {request.path: json.loads(request.data) for request, _ in httpserver.log}
    assert ("max_tokens" in sent[CHAT], "max_tokens" in sent[PLAIN]) == (False, True)
    assert len(httpserver.log) == 2


SCHEMA = '{"type": "object", "properties": {"a": {"type": "integer"}}}'


def test_a_chat_has_the_schema_of_its_answer(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_json(chat_answer('{"a": 1}'))
    httpserver.expect_request(PLAIN).respond_with_json(plain_answer("in the end"))
    model_of(httpserver).complete([Request("Is it?", chat=True, schema=SCHEMA), Request("It is", schema=SCHEMA)])
    sent = {request.path: json.loads(request.data) for request, _ in httpserver.log}
    schema = {"name": "answer", "strict": True, "schema": json.loads(SCHEMA)}
    assert sent[CHAT]["response_format"] == {"type": "json_schema", "json_schema": schema}
    assert "response_format" not in sent[PLAIN]


def takes_neither(request: HttpRequest) -> Response:
    """Refuse the older limit, then the schema: two parts of a call that can be sent otherwise."""
    sent = json.loads(request.data)
    for name, message in (("max_tokens", REFUSAL), ("response_format", "response_format is not supported")):
        if name in sent:
            return Response(json.dumps({"error": {"message": message}}), 400, mimetype="application/json")
    return Response(json.dumps(chat_answer("Yes.")), mimetype="application/json")


def test_a_refused_schema_is_left_out_from_then_on(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_handler(takes_neither)
    model = model_of(httpserver)
    assert [reply.text for reply in model.complete([Request("Is it?", chat=True, schema=SCHEMA)])] == ["Yes."]
    assert len(httpserver.log) == 3
    assert len(model.complete([Request(f"Is it {number}?", chat=True, schema=SCHEMA) for number in range(3)])) == 3
    assert len(httpserver.log) == 6


def test_a_schema_that_is_refused_for_good_is_a_model_error(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_json(error("response_format is not supported"), status=400)
    with pytest.raises(ModelError, match="the server refuses the request"):
        model_of(httpserver).complete([Request("Is it?", chat=True, schema=SCHEMA)])
    assert len(httpserver.log) == 2


def refusing(server: HTTPServer, refused: dict[str, tuple[int, object]], text: str = "Yes.") -> None:
    """Let the server answer chats with `text`, and a field in `refused` with its status and body."""

    def handle(request: HttpRequest) -> Response:
        sent = json.loads(request.data)
        for name, (status, body) in refused.items():
            if name in sent:
                return Response(json.dumps(body), status, mimetype="application/json")
        return Response(json.dumps(chat_answer(text)), mimetype="application/json")

    server.expect_request(CHAT).respond_with_handler(handle)


def error(message: str, **more: str) -> dict[str, object]:
    return {"error": {"message": message, "type": "invalid_request_error", **more}}


NO_ZERO = (
    "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
)
EXTRA = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted", "input": 0}]
NO_LOGPROBS = "You are not allowed to request logprobs from this model."


@pytest.mark.parametrize(
    ("field", "status", "body"),
    [
        ("temperature", 400, error(NO_ZERO, param="temperature", code="unsupported_value")),
        ("temperature", 400, error("invalid temperature: only 1 is allowed for this model")),
        ("stop", 400, error("Unsupported parameter: 'stop' is not supported with this model.", param="stop")),
        ("seed", 422, {"detail": EXTRA}),
        ("seed", 422, {"object": "error", "message": {"detail": EXTRA}, "type": "invalid_request_error"}),
        ("seed", 400, [{"error": {"code": 400, "message": 'Invalid JSON payload received. Unknown name "seed"'}}]),
        ("seed", 400, {"error": "seed is not supported"}),
        ("seed", 400, error("Unrecognized request argument supplied: seed")),
    ],
)
def test_a_refused_field_is_left_out_and_named(
    httpserver: HTTPServer, caplog: pytest.LogCaptureFixture, field: str, status: int, body: object
) -> None:
    refusing(httpserver, {field: (status, body)})
    model = model_of(httpserver)
    ask = [Request(f"Is it {number}?", chat=True, stop=("!",)) for number in range(3)]
    assert [reply.left_out for reply in model.complete(ask[:1])] == [(field,)]
    assert [reply.text for reply in model.complete(ask)] == ["Yes."] * 3
    assert len(httpserver.log) == 5
    sent = json.loads(httpserver.log[-1][0].data)
    assert {"temperature", "seed", "stop"} - sent.keys() == {field}
    warnings = [record.message for record in caplog.records if record.levelname == "WARNING"]
    assert [re.findall(r"the server refuses (\w+); it is asked without", warning) for warning in warnings] == [[field]]


def test_two_refused_fields_are_left_out_one_after_the_other(httpserver: HTTPServer) -> None:
    refusing(httpserver, {"temperature": (400, error(NO_ZERO)), "seed": (422, {"detail": EXTRA})})
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True)])
    assert (reply.text, reply.left_out, len(httpserver.log)) == ("Yes.", ("temperature", "seed"), 3)


@pytest.mark.parametrize("status", [400, 403])
def test_refused_logprobs_leave_the_letter_that_was_written(httpserver: HTTPServer, status: int) -> None:
    def handle(request: HttpRequest) -> Response:
        sent = json.loads(request.data)
        if "logprobs" in sent or "top_logprobs" in sent:
            return Response(json.dumps(error(NO_LOGPROBS)), status, mimetype="application/json")
        letter = re.search(r"\b([AB])\W+no\b", sent["messages"][0]["content"])
        return Response(json.dumps(chat_answer(letter and letter[1])), mimetype="application/json")

    httpserver.expect_request(CHAT).respond_with_handler(handle)
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    assert (reply.text, reply.method) == ("no", "letters_read")


ECHO = [{"type": "value_error", "loc": ["body"], "msg": "bad", "input": "temperature is not supported; a stop"}]


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (error("Unknown parameter: 'top_q'. Supported parameters: model, messages, temperature, seed, stop"), "top_q"),
        (error("temperature 1.5 is not supported; it must be between 0 and 1"), "between 0 and 1"),
        (error("top_logprobs of 20 is not supported; at most 5"), "at most 5"),
        (error("temperature must be at most 2"), "at most 2"),
        (error("1 validation error: {'msg': 'bad', 'input': 'temperature is not supported'}"), "1 validation error"),
        ({"detail": ECHO}, "body: bad"),
        (error("too long: 4096 tokens; your prompt: the page on json_schema has 9000"), "too long"),
        (error("bad request: 'the product does not support seed oils'"), "bad request"),
        ({"detail": "no such thing"}, "no such thing"),
        (error("no", param="seed", code="invalid_value"), "no"),
    ],
)
def test_what_only_mentions_a_field_is_no_refusal_of_it(httpserver: HTTPServer, body: object, shown: str) -> None:
    httpserver.expect_request(CHAT).respond_with_json(body, status=400)
    model = model_of(httpserver)
    with pytest.raises(ModelError, match=f"the server refuses the request: .*{shown}"):
        model.complete([Request("Is it?", chat=True, stop=("!",))])
    assert len(httpserver.log) == 1


@pytest.mark.parametrize("fields", ['{"temperature": 0.2}', '{"max_tokens": 30}', '{"max_completion_tokens": 30}'])
def test_a_field_that_the_user_sets_is_not_left_out(httpserver: HTTPServer, fields: str) -> None:
    refusing(httpserver, {"temperature": (400, error(NO_ZERO)), "max_tokens": (400, error(REFUSAL))})
    model = model_of(httpserver, Options(server_fields=fields))
    if "temperature" in fields:
        with pytest.raises(ModelError, match="temperature"):
            model.complete([Request("Is it?", chat=True)])
    else:
        assert model.complete([Request("Is it?", chat=True)])[0].text == "Yes."
    assert len(httpserver.log) <= 4


FIELDS = '{"reasoning_effort": "low", "temperature": null, "top_p": 0.5}'


@pytest.mark.parametrize("chat", [True, False])
def test_further_fields_are_sent_and_others_left_out(httpserver: HTTPServer, chat: bool) -> None:
    httpserver.expect_request(CHAT).respond_with_json(chat_answer("Yes."))
    httpserver.expect_request(PLAIN).respond_with_json(plain_answer("in the end"))
    model = model_of(httpserver, Options(server_fields=FIELDS, server_grammar=True))
    model.complete([Request("Is it?", chat=chat, grammar="root ::= x")])
    sent = json.loads(httpserver.log[0][0].data)
    assert (sent["reasoning_effort"], sent["top_p"], "temperature" in sent, "seed" in sent) == ("low", 0.5, False, True)
    assert sent["structured_outputs"] == {"grammar": "root ::= x"}


def test_null_leaves_out_what_only_some_servers_know_too(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_json(chat_answer("A"))
    fields = '{"structured_outputs": null, "logprobs": null, "response_format": null}'
    model = model_of(httpserver, Options(server_fields=fields, server_grammar=True))
    model.complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    (reply,) = model.complete([Request("Is it?", chat=True, grammar="root ::= x", schema=SCHEMA)])
    for request, _ in httpserver.log:
        assert (
            not {"structured_outputs", "logprobs", "top_logprobs", "response_format"} & json.loads(request.data).keys()
        )
    assert reply.left_out == ("schema",)


def test_further_fields_belong_to_the_model(httpserver: HTTPServer) -> None:
    same = '{"top_p":0.5,"temperature":null, "reasoning_effort":"low"}'
    names = [file_name(model_of(httpserver, Options(server_fields=fields)).info) for fields in ("", FIELDS, same)]
    assert names[0] != names[1] == names[2]
    assert same_fields(FIELDS) == same_fields(same)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("low", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("\udcff", "not a JSON object"),
        *((f'{{"{name}": 1}}', f"{name} cannot be set") for name in ("model", "messages", "prompt", "n", "stream")),
    ],
)
def test_wrong_further_fields_are_one_line(fields: str, message: str) -> None:
    with pytest.raises(InputError, match=f"--server_fields.*{message}"):
        get_llm("openai:m@http://127.0.0.1:9/v1", Options(server_fields=fields))
    with pytest.raises(ValueError, match=message):
        same_fields(fields)


def test_further_fields_need_a_server() -> None:
    with pytest.raises(InputError, match="--server_fields needs an openai: model, not smollm2"):
        get_llm("smollm2", Options(server_fields=FIELDS))


@pytest.mark.parametrize("message", ["max_tokens or max_completion_tokens is too large: 9", "no", REFUSAL])
def test_other_refusals_are_not_repeated(httpserver: HTTPServer, message: str) -> None:
    httpserver.expect_request(CHAT).respond_with_json({"error": {"message": message}}, status=400)
    with pytest.raises(ModelError, match="the server refuses the request"):
        model_of(httpserver).complete([Request("Is it?", chat=True)])
    assert len(httpserver.log) == (2 if message == REFUSAL else 1)


def test_a_refused_completion_is_not_repeated(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PLAIN).respond_with_json({"error": {"message": REFUSAL}}, status=400)
    with pytest.raises(ModelError, match="the server refuses the request"):
        model_of(httpserver).complete([Request("It is")])
    assert len(httpserver.log) == 1


def test_plain_completion_with_estimated_tokens(httpserver: HTTPServer) -> None:
    httpserver.expect_request(PLAIN).respond_with_json(plain_answer("in the end"))
    (reply,) = model_of(httpserver).complete([Request("x" * 40, max_length=30)])
    assert (reply.text, reply.prompt_tokens, reply.new_tokens, reply.stopped) == ("in the end", 10, 3, "length")
    assert json.loads(httpserver.log[0][0].data)["max_tokens"] == 20


def test_prompt_that_fills_max_length_is_an_error(httpserver: HTTPServer) -> None:
    with pytest.raises(ModelError, match="about 10 tokens, max_length is 10"):
        model_of(httpserver).complete([Request("x" * 40, max_length=10)])


@pytest.mark.parametrize("status", [429, 500, 503])
def test_repeats_after_the_time_the_server_asks_for(httpserver: HTTPServer, status: int) -> None:
    busy = Response("busy", status=status, headers={"Retry-After": "0.05"})
    httpserver.expect_ordered_request(CHAT).respond_with_response(busy)
    httpserver.expect_ordered_request(CHAT).respond_with_json(chat_answer("Yes."))
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True)])
    assert (reply.text, len(httpserver.log)) == ("Yes.", 2)


def test_gives_up_after_the_retries(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_response(Response("no", 500, headers={"Retry-After": "0.01"}))
    with pytest.raises(ModelError, match="InternalServerError"):
        model_of(httpserver).complete([Request("Is it?", chat=True)])
    assert len(httpserver.log) == 3


@pytest.mark.parametrize("status", [401, 403, 404])
def test_wrong_key_or_model_stops_the_run_with_one_line(httpserver: HTTPServer, status: int) -> None:
    httpserver.expect_request(CHAT).respond_with_json({"error": {"message": "no\nsuch thing"}}, status=status)
    with pytest.raises(FatalError, match="the server says") as caught:
        model_of(httpserver).complete([Request("Is it?", chat=True)] * 3)
    assert "\n" not in str(caught.value)


TEXT = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
ODD: dict[str, tuple[object, str]] = {
    "a list": ([], "Expected `object`, got `array`"),
    "null": (None, "Expected `object`, got `null`"),
    "an error": (
        {"error": {"message": "busy"}},
        'missing required field `choices`): { "error": { "message": "busy" } }',
    ),
    "no choices": ({"choices": []}, "length >= 1 - at `$.choices`"),
    "null choices": ({"choices": None}, "got `null` - at `$.choices`"),
    "no message": ({"choices": [{"index": 0}]}, "missing required field `message` - at `$.choices[0]`"),
    "a message that is text": ({"choices": [{"message": "Yes."}]}, "got `str` - at `$.choices[0].message`"),
    "no content": ({"choices": [{"message": {}}]}, "missing required field `content` - at `$.choices[0].message`"),
    "null content": ({"choices": [{"message": {"content": None}}]}, "got `null` - at `$.choices[0].message.content`"),
    "a list of parts": (
        {"choices": [{"message": {"content": [{"type": "text", "text": "Yes."}]}}]},
        "got `array` - at `$.choices[0].message.content`",
    ),
}


@pytest.mark.parametrize(("answer", "named"), ODD.values(), ids=ODD)
def test_an_answer_of_an_odd_shape_is_a_model_error_that_names_it(
    httpserver: HTTPServer, answer: object, named: str
) -> None:
    httpserver.expect_request(CHAT).respond_with_json(answer)
    with pytest.raises(ModelError, match=r"^openai:tiny@.*: not the documented answer") as caught:
        model_of(httpserver).complete([Request("Is it?", chat=True)])
    assert named in str(caught.value)
    httpserver.expect_request(PLAIN).respond_with_json({"choices": [{"message": {"content": "Yes."}}]})
    with pytest.raises(ModelError, match="missing required field `text`"):
        model_of(httpserver).complete([Request("Is it?")])


@pytest.mark.parametrize("body", ["not json", "{", "\xff", "[" * 100_000])
def test_garbage_is_a_model_error(httpserver: HTTPServer, body: str) -> None:
    httpserver.expect_request(CHAT).respond_with_data(body.encode("latin-1"), content_type="application/json")
    with pytest.raises(ModelError, match=r"^openai:tiny@.*: not the documented answer"):
        model_of(httpserver).complete([Request("Is it?", chat=True)])


@pytest.mark.parametrize("usage", [{}, None, [], "many", {"prompt_tokens": None, "completion_tokens": 4}])
def test_odd_token_counts_alone_do_not_fail_a_request(httpserver: HTTPServer, usage: object) -> None:
    httpserver.expect_request(CHAT).respond_with_json({"choices": [TEXT], "usage": usage})
    (reply,) = model_of(httpserver).complete([Request("x" * 40, chat=True)])
    assert (reply.text, reply.prompt_tokens, reply.new_tokens) == ("Yes.", 10, 1)


@pytest.mark.parametrize("logprobs", [7, {"content": 7}, {"content": [{"top_logprobs": [{"token": "A"}]}]}])
def test_odd_logprobs_are_a_model_error_where_they_are_read(httpserver: HTTPServer, logprobs: object) -> None:
    httpserver.expect_request(CHAT).respond_with_json({"choices": [TEXT | {"logprobs": logprobs}]})
    with pytest.raises(ModelError, match="not the documented logprobs"):
        model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    assert model_of(httpserver).complete([Request("Is it?", chat=True)])[0].text == "Yes."


@pytest.mark.parametrize("logprobs", [None, {}, {"content": None}, {"content": []}, {"content": [{}]}])
def test_missing_logprobs_leave_the_letter_that_was_written(httpserver: HTTPServer, logprobs: object) -> None:
    for text in ("B", "A"):
        httpserver.expect_ordered_request(CHAT).respond_with_json(chat_answer(text, logprobs=logprobs))
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    assert (reply.text, reply.method) == ("no", "letters_read")


def test_timeout_is_a_model_error(httpserver: HTTPServer) -> None:
    released = threading.Event()

    def never(_: HttpRequest) -> Response:
        released.wait(5)
        return Response("{}")

    httpserver.expect_request(CHAT).respond_with_handler(never)
    with pytest.raises(ModelError, match="Timeout"):
        model_of(httpserver, Options(timeout=0.1, max_retries=0)).complete([Request("Is it?", chat=True)])
    released.set()


@pytest.fixture
def faulty() -> Iterator[FaultServer]:
    with FaultServer() as running:
        yield running


def faulty_model(server: FaultServer, fault: str, options: Options) -> LanguageModel:
    server.answer("v1/chat/completions", FAULTS[fault])
    return get_llm(f"openai:tiny@{server.url('v1')}", options)


@pytest.mark.parametrize("fault", ["byte-by-byte", "headers-byte-by-byte", "hang-mid-body"])
def test_the_timeout_is_for_the_whole_answer(faulty: FaultServer, fault: str) -> None:
    model = faulty_model(faulty, fault, Options(timeout=0.5, max_retries=1))
    with pytest.raises(ModelError, match="APITimeoutError"):
        model.complete([Request("Is it?", chat=True)])
    assert faulty.requests.total() == 2


@pytest.mark.parametrize("fault", ["endless", "endless-chunks", "bomb-gzip"])
def test_an_endless_answer_is_a_model_error_without_retries(faulty: FaultServer, fault: str) -> None:
    model = faulty_model(faulty, fault, Options(max_retries=2))
    with pytest.raises(ModelError, match=r"^openai:tiny@.*: the answer has more than 16,000,000 bytes$"):
        model.complete([Request("Is it?", chat=True)])
    assert faulty.requests.total() == 1


def test_requests_end_at_once_where_they_are_not_wanted_any_more(faulty: FaultServer) -> None:
    def check() -> None:
        if faulty.requests.total() == 3:
            raise Cancelled("not wanted")

    model = faulty_model(faulty, "byte-by-byte", Options(timeout=3600.0, concurrency=3))
    with while_wanted(check), pytest.raises(Cancelled):
        model.complete([Request(f"Is it {number}?", chat=True) for number in range(5)])
    assert faulty.requests.total() == 3


def test_the_failed_ones_of_several_requests_are_reported(httpserver: HTTPServer) -> None:
    seen: list[str] = []

    def answer(sent: HttpRequest) -> Response:
        seen.append(sent.get_data(as_text=True))
        failing = "Ben" in sent.get_data(as_text=True)
        return (
            Response("no", 500) if failing else Response(json.dumps(chat_answer("Yes.")), mimetype="application/json")
        )

    httpserver.expect_request(CHAT).respond_with_handler(answer)
    prompts = ["Ben?", *[f"Ann {number}?" for number in range(9)]]
    with pytest.raises(PartialError, match="InternalServerError") as caught:
        model_of(httpserver, Options(max_retries=0)).complete([Request(prompt, chat=True) for prompt in prompts])
    error, *replies = caught.value.replies
    assert isinstance(error, ModelError)
    assert [isinstance(reply, Reply) and reply.text for reply in replies] == ["Yes."] * 9
    assert len(seen) == 10


def test_server_that_is_not_there_stops_the_run() -> None:
    model = get_llm("openai:tiny@http://127.0.0.1:9/v1", Options(max_retries=0))
    with pytest.raises(FatalError, match="cannot be reached; start again"):
        model.complete([Request("Is it?", chat=True)])


def test_missing_key_is_bad_input_for_the_public_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(InputError, match="OPENAI_API_KEY is not set"):
        get_llm("openai:tiny").complete([Request("Is it?", chat=True)])


def test_a_server_of_ones_own_needs_no_key(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY")
    httpserver.expect_request("/v1/chat/completions").respond_with_json(chat_answer("Yes."))
    assert model_of(httpserver).complete([Request("Is it?", chat=True)])[0].text == "Yes."


def test_at_most_concurrency_requests_at_once_and_answers_in_order() -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def slow(sent: HttpRequest) -> Response:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.02)
        with lock:
            now[0] -= 1
        return Response(json.dumps(chat_answer(json.loads(sent.data)["messages"][0]["content"])))

    prompts = [f"number {place}" for place in range(12)]
    with HTTPServer(threaded=True) as server:
        server.expect_request(CHAT).respond_with_handler(slow)
        replies = model_of(server, Options(concurrency=3)).complete([Request(text, chat=True) for text in prompts])
    assert [reply.text for reply in replies] == prompts
    assert 1 < most[0] <= 3


def chat_logprobs(scores: dict[str, float]) -> dict[str, object]:
    top = [{"token": token, "logprob": score, "bytes": None} for token, score in scores.items()]
    return {"content": [{"token": "A", "logprob": -0.1, "bytes": None, "top_logprobs": top}]}


def test_choices_by_option_letters_chat(httpserver: HTTPServer) -> None:
    for scores in ({"A": -0.2, "B": -2.0}, {"A": -2.0, "B": -0.2}):
        answer = chat_answer("A", logprobs=chat_logprobs(scores))
        httpserver.expect_ordered_request(CHAT).respond_with_json(answer)
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    assert (reply.text, reply.method, reply.prompt_tokens, reply.new_tokens) == ("yes", "option_letters", 22, 2)
    assert reply.scores == pytest.approx((-0.2, -2.0))


def test_choices_by_option_letters_plain(httpserver: HTTPServer) -> None:
    logprobs = {
        "tokens": [" A"],
        "token_logprobs": [-0.1],
        "text_offset": [0],
        "top_logprobs": [{" A": -0.1, " B": -3.0}],
    }
    httpserver.expect_request(PLAIN).respond_with_json(plain_answer(" A", logprobs=logprobs))
    (reply,) = model_of(httpserver).complete([Request("Is it?", choices=("yes", "no"))])
    assert reply.scores == pytest.approx((-1.55, -1.55))


def test_choices_by_first_tokens_take_one_call(httpserver: HTTPServer) -> None:
    answer = chat_answer("True", logprobs=chat_logprobs({"True": -0.2, " true": -4.0, "Fal": -2.0, "It": -5.0}))
    httpserver.expect_request(CHAT).respond_with_json(answer)
    (reply,) = model_of(httpserver).complete([Request("?", chat=True, choices=("True", "False"), first_tokens=True)])
    assert (reply.text, reply.method, reply.prompt_tokens, len(httpserver.log)) == ("True", "first_tokens", 11, 1)
    assert reply.scores == pytest.approx((-0.17788, -2.0), abs=1e-4)


def test_without_logprobs_letters_are_read_for_first_tokens_too(httpserver: HTTPServer) -> None:
    for text in ("True", "B", "A"):
        httpserver.expect_ordered_request(CHAT).respond_with_json(chat_answer(text))
    (reply,) = model_of(httpserver).complete([Request("?", chat=True, choices=("True", "False"), first_tokens=True)])
    assert (reply.text, reply.method) == ("False", "letters_read")


def test_without_logprobs_the_written_letters_count(httpserver: HTTPServer) -> None:
    httpserver.expect_ordered_request(CHAT).respond_with_json(chat_answer(" B."))
    httpserver.expect_ordered_request(CHAT).respond_with_json(chat_answer("A"))
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    assert (reply.text, reply.scores, reply.method) == ("no", (-20.0, 0.0), "letters_read")


def test_a_letter_for_every_order_decides_nothing(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_json(chat_answer("A"))
    (reply,) = model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])
    assert reply.scores == (-10.0, -10.0)


def test_neither_logprobs_nor_a_letter_is_a_model_error(httpserver: HTTPServer) -> None:
    httpserver.expect_request(CHAT).respond_with_json(chat_answer("Well, it depends."))
    with pytest.raises(ModelError, match="none of the option letters"):
        model_of(httpserver).complete([Request("Is it?", chat=True, choices=("yes", "no"))])


def test_info_promises_nothing(httpserver: HTTPServer) -> None:
    info = model_of(httpserver).info
    assert (info.engine, info.name, info.deterministic, info.can) == ("openai", "tiny", False, frozenset({"seed"}))


def test_model_must_be_named() -> None:
    with pytest.raises(InputError, match="unknown model"):
        get_llm("openai:")
