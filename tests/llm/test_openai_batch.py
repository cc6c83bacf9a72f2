"""Batches of requests in files: what is written, which answer belongs to which request, and answers that are errors."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pytest_httpserver import HTTPServer
from werkzeug import Response

from src.errors import InputError, ModelError, PendingError
from src.llm import LanguageModel, Options, Request, get_llm
from src.llm.openai_batch import request_line
from src.llm.openai_calls import CHAT, PLAIN, Call
from src.llm.protocol import PartialError
from src.reranking.question_generation_top_sentences import main
from src.runner import merge
from src.runner.manifest import AnswersFile, read_manifest
from src.store import sha256
from tests.reranking.test_question_generation import prepare, ranked
from tests.runner.small_world import World, failed

SPEC = "openai:tiny@http://127.0.0.1:9/v1"
Line = dict[str, Any]


def body_of(sent: Line) -> Line:
    """Return a server's answer: a question about the prompt, or the likeliest letters."""
    text = sent["messages"][-1]["content"]
    choice: Line = {"index": 0, "message": {"role": "assistant", "content": f"Is it {len(text)}?"}}
    if sent.get("logprobs"):
        tops = [{"token": letter, "logprob": -float(len(text) % 7 + at)} for at, letter in enumerate("AB")]
        choice["logprobs"] = {"content": [{"token": "A", "logprob": -1.0, "top_logprobs": tops}]}
    usage = {"prompt_tokens": len(text), "completion_tokens": 4}
    return {"model": "tiny", "choices": [choice | {"finish_reason": "stop"}], "usage": usage}


def line_of(custom_id: str, body: Line, **more: object) -> Line:
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "i", "custom_id": custom_id, "response": response, "error": None} | more


def write_lines(path: Path, *lines: Line) -> Path:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


def read_lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def batch(tmp_path: Path, *answers: Path) -> LanguageModel:
    return get_llm(SPEC, Options(batch_file=tmp_path / "batch.jsonl", batch_answers=answers))


def waiting(model: LanguageModel, *requests: Request) -> list[Line]:
    with pytest.raises(PendingError) as caught:
        model.complete(requests)
    return [json.loads(line) for line in caught.value.requests]


ASKED = Request("Is it?", chat=True, system="Be brief.", stop=("?",), max_new_tokens=9, seed=4)


def test_requests_without_an_answer_are_lines_of_the_interface(tmp_path: Path) -> None:
    (line,) = waiting(batch(tmp_path), ASKED)
    assert (line["method"], line["url"]) == ("POST", "/v1/chat/completions")
    assert line["body"] == {
        "model": "tiny",
        "max_tokens": 9,
        "temperature": 0.0,
        "seed": 4,
        "stop": ["?"],
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it?"}],
    }
    answers = write_lines(tmp_path / "answers.jsonl", line_of(line["custom_id"], body_of(line["body"])))
    (reply,) = batch(tmp_path, answers).complete([ASKED])
    assert (reply.text, reply.prompt_tokens, reply.new_tokens) == ("Is it 6", 6, 4)


def test_the_limit_has_the_name_that_is_chosen(tmp_path: Path) -> None:
    model = get_llm(SPEC, Options(batch_file=tmp_path / "batch.jsonl", server_limit="max_completion_tokens"))
    (line,) = waiting(model, ASKED)
    assert (line["body"]["max_completion_tokens"], "max_tokens" in line["body"]) == (9, False)


def test_a_closed_set_waits_for_one_letter_after_the_other(tmp_path: Path) -> None:
    request = Request("Is it?", chat=True, choices=("yes", "no"))
    rounds = []
    answers = tmp_path / "answers.jsonl"
    lines: list[Line] = []
    for _ in range(2):
        (line,) = waiting(batch(tmp_path, *([answers] if lines else [])), request)
        rounds.append(line["custom_id"])
        lines.append(line_of(line["custom_id"], body_of(line["body"])))
        write_lines(answers, *lines)
    (reply,) = batch(tmp_path, answers).complete([request])
    assert (reply.method, len(set(rounds))) == ("option_letters", 2)


@given(
    urls=st.lists(st.sampled_from((CHAT, PLAIN)), min_size=2, max_size=2),
    bodies=st.lists(
        st.dictionaries(st.text(max_size=3), st.text() | st.integers(0, 9), max_size=3), min_size=2, max_size=2
    ),
)
@settings(max_examples=200)
def test_only_equal_calls_have_equal_ids(urls: list[str], bodies: list[Line]) -> None:
    first, second = (request_line(Call(url, body)) for url, body in zip(urls, bodies, strict=True))
    assert (first.custom_id == second.custom_id) == (urls[0] == urls[1] and bodies[0] == bodies[1])
    backwards = dict(reversed(bodies[0].items()))
    assert request_line(Call(urls[0], backwards)).custom_id == first.custom_id


BAD: Mapping[str, tuple[Callable[[Line], list[Line]], str]] = {
    "an error of the service": (
        lambda line: [line | {"response": None, "error": {"code": "expired", "message": "too late"}}],
        r"answers.jsonl, line 1: \{\"code\":\"expired\",\"message\":\"too late\"\}; take the line out to ask once more",
    ),
    "a status": (
        lambda line: [line | {"response": {"status_code": 429, "body": {"error": "busy"}}}],
        r"line 1: status 429, \{\"error\":\s?\"busy\"\}",
    ),
    "a status and an error": (
        lambda line: [line | {"response": {"status_code": 400, "body": None}, "error": "URL was used"}],
        "line 1: status 400, \"URL was used\"",
    ),
    "neither": (lambda line: [line | {"response": None}], "line 1: null"),
    "two that differ": (
        lambda line: [line, line | {"response": {"status_code": 200, "body": {"choices": []}}}],
        "answered more than once, and not alike: .*line 1; .*line 2",
    ),
    "another model's": (
        lambda line: [line | {"response": {"status_code": 200, "body": {"model": "large"}}}],
        "line 1: the answer of another model, large",
    ),
    "no answer": (
        lambda line: [line | {"response": {"status_code": 200, "body": {"model": "tiny"}}}],
        "not the documented answer",
    ),
    "an odd response": (lambda line: [line | {"response": 7}], "line 1: not the documented answer"),
}  # fmt: skip


@pytest.mark.parametrize(("spoil", "named"), BAD.values(), ids=BAD)
def test_a_bad_answer_fails_its_request_alone(tmp_path: Path, spoil: Callable[[Line], list[Line]], named: str) -> None:
    first, second = waiting(batch(tmp_path), ASKED, Request("Was it so?", chat=True))
    good = line_of(second["custom_id"], body_of(second["body"]))
    spoiled = spoil(line_of(first["custom_id"], body_of(first["body"])))
    answers = write_lines(tmp_path / "answers.jsonl", *spoiled, good)
    with pytest.raises(PartialError, match=named) as caught:
        batch(tmp_path, answers).complete([ASKED, Request("Was it so?", chat=True)])
    failure, reply = caught.value.replies
    assert isinstance(failure, ModelError)
    assert not isinstance(reply, ModelError)
    assert reply.text == "Is it 10?"


def answered_by(tmp_path: Path, name: str) -> LanguageModel:
    """Return a model with the answer to ASKED, twice, by the model `name`."""
    (line,) = waiting(batch(tmp_path), ASKED)
    answer = line_of(line["custom_id"], body_of(line["body"]) | {"model": name})
    return batch(tmp_path, *(write_lines(tmp_path / file, answer) for file in ("1.jsonl", "2.jsonl")))


@pytest.mark.parametrize("name", ["tiny", "tiny-2026-11-01", "tiny-20261101", "tiny-1101"])
def test_equal_lines_and_dated_names_of_the_model_are_fine(tmp_path: Path, name: str) -> None:
    assert answered_by(tmp_path, name).complete([ASKED])[0].text == "Is it 6"


@pytest.mark.parametrize("name", ["tiny-mini", "tiny-mini-2026-11-01", "tinyx", "tiny-2026-11-01-x", "Tiny"])
def test_other_models_with_a_like_name_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ModelError, match=f"line 1: the answer of another model, {name}"):
        answered_by(tmp_path, name).complete([ASKED])


@pytest.mark.parametrize("change", ["another order", "shorter", "removed"])
def test_a_file_of_answers_that_changes_is_noticed(tmp_path: Path, change: str) -> None:
    other = msgspec.structs.replace(ASKED, prompt="Is he?")  # of the same length
    first, second = (
        line_of(line["custom_id"], body_of(line["body"])) for line in waiting(batch(tmp_path), ASKED, other)
    )
    answers = write_lines(tmp_path / "answers.jsonl", first, second)
    model = batch(tmp_path, answers)
    match change:
        case "another order":
            write_lines(answers, second, first)
        case "shorter":
            write_lines(answers)
        case "removed":
            answers.unlink()
    with pytest.raises(InputError, match=r"answers\.jsonl, line 1: was changed while it was in use"):
        model.complete([ASKED])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", ""),
        (b"\n\n", ""),
        (b'{"custom_id": "a"}\n{"custom', "line 2: not a line of answers"),
        (b"[]\n", "line 1: not a line of answers"),
        (b"\xff\n", "line 1: not a line of answers"),
    ],
)
def test_files_of_answers(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content)
    if not message:
        assert len(waiting(batch(tmp_path, path), ASKED)) == 1
        return
    with pytest.raises(InputError, match=message):
        batch(tmp_path, path)


def test_what_goes_with_a_batch(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        batch(tmp_path, tmp_path / "none.jsonl")
    with pytest.raises(InputError, match="--batch_answers needs --batch_file"):
        get_llm(SPEC, Options(batch_answers=(tmp_path / "a",)))
    with pytest.raises(InputError, match=r"--batch_file needs an openai: model, not scripted:x"):
        get_llm("scripted:x", Options(batch_file=tmp_path / "b"))


def test_only_chats_go_into_a_batch(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--batch_file takes chats only"):
        batch(tmp_path).complete([Request("Is it?")])


def ask(world: World, spec: str, *flags: str) -> int:
    paths = ["-i", str(world.folder / "top.json"), "--reference_corpus", str(world.folder / "train.json")]
    return main([*paths, "-o", str(world.output), "--llm", spec, "--quiet", *flags])


def test_a_step_ends_with_the_bytes_of_a_server(
    tmp_path: Path, httpserver: HTTPServer, capsys: pytest.CaptureFixture[str]
) -> None:
    httpserver.expect_request("/v1/chat/completions").respond_with_handler(
        lambda request: Response(json.dumps(body_of(json.loads(request.data))), mimetype="application/json")
    )
    spec = f"openai:tiny@{httpserver.url_for('/v1')}"
    direct = prepare(tmp_path, ranked("A", "B", "A"))
    assert ask(direct, spec) == 0
    expected = direct.output.read_bytes()
    sent = len(httpserver.log)
    direct.output.unlink()

    file = tmp_path / "batch.jsonl"
    capsys.readouterr()
    assert ask(direct, spec, "--overwrite", "--batch_file", str(file)) == 4
    assert capsys.readouterr().err == (
        f"question_generation_top_sentences: 4 requests of 3 claims wait for their answers in {file}; answer them "
        "(vllm run-batch, or a batch of OpenAI's), then start the same command again with the file of answers added: "
        "--batch_answers FILE\n"
    )
    assert not direct.output.exists()
    lines = read_lines(file)
    half = write_lines(tmp_path / "1.jsonl", *(line_of(x["custom_id"], body_of(x["body"])) for x in lines[:2]))
    assert ask(direct, spec, "--batch_file", str(file), "--batch_answers", str(half)) == 4
    assert "2 requests of 1 claim wait" in capsys.readouterr().err
    assert read_lines(file) == lines[2:]
    rest = write_lines(tmp_path / "2.jsonl", *(line_of(x["custom_id"], body_of(x["body"])) for x in lines[2:]))
    assert ask(direct, spec, "--batch_file", str(file), "--batch_answers", str(half), str(rest)) == 0
    assert direct.output.read_bytes() == expected
    assert len(httpserver.log) == sent
    manifest = read_manifest(direct.output)
    assert manifest is not None
    assert (manifest.failures, manifest.counts["prompts"]) == (0, 6)
    assert manifest.arguments["batch_answers"] == str([str(half), str(rest)])
    assert manifest.answers == [AnswersFile(str(path), sha256(path), {"tiny": 2}) for path in (half, rest)]


def test_a_failed_line_is_a_failure_of_its_claims(tmp_path: Path) -> None:
    world = prepare(tmp_path, ranked("A", "B", sentences=["It sank."]))
    file, answers = tmp_path / "batch.jsonl", tmp_path / "answers.jsonl"
    assert ask(world, SPEC, "--batch_file", str(file)) == 4
    first, second = read_lines(file)
    good = line_of(second["custom_id"], body_of(second["body"]))
    write_lines(answers, line_of(first["custom_id"], {}, response=None, error="no"), good)
    assert ask(world, SPEC, "--batch_file", str(file), "--batch_answers", str(answers)) == 1
    assert failed(world.output) == [0]
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert [file.models for file in manifest.answers] == [{"tiny": 1}]
    write_lines(answers, line_of(first["custom_id"], body_of(first["body"])), good)
    assert ask(world, SPEC, "--batch_file", str(file), "--batch_answers", str(answers)) == 0


def test_a_dry_run_with_a_batch_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A"))
    assert ask(world, SPEC, "--batch_file", str(tmp_path / "b"), "--dry_run") == 2
    assert "--dry_run measures the model's time; leave out --batch_file" in capsys.readouterr().err


def lost_nothing(world: World, *flags: str) -> bool:
    """Return True if a start with these flags ends with exit code 2 and leaves all files as they are."""
    before = {path: path.read_bytes() for path in world.folder.rglob("*") if path.is_file()}
    code = ask(world, SPEC, *flags)
    return code == 2 and {path: path.read_bytes() for path in world.folder.rglob("*") if path.is_file()} == before


def test_a_batch_file_replaces_no_other_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A"))
    world.output.parent.mkdir()
    world.output.write_bytes(b"{}\n")
    answers, notes = write_lines(tmp_path / "answers.jsonl", line_of("a", {})), tmp_path / "notes"
    notes.write_bytes(b"mine\n")
    named = {
        tmp_path / "top.json": "the batch file would overwrite --top_k_target_knowledge",
        tmp_path / "train.json": "the batch file would overwrite --reference_corpus",
        answers: "the batch file would overwrite --batch_answers",
        world.output: "the batch file would overwrite --output",
        world.output.with_name("result.json.progress"): "would overwrite a file that belongs to --output",
        tmp_path: "the batch file is a folder; name a file in it",
    }
    for path, message in named.items():
        assert lost_nothing(world, "--overwrite", "--batch_file", str(path), "--batch_answers", str(answers)), path
        assert message in capsys.readouterr().err
    for path in (answers, notes):
        assert lost_nothing(world, "--batch_file", str(path))
        assert f"{path}, line 1: is not a line of requests" in capsys.readouterr().err
    assert lost_nothing(world, "--overwrite", "--batch_file", str(tmp_path / "b"), "--batch_answers", "none.jsonl")
    assert "none.jsonl: not found" in capsys.readouterr().err
    given = ("--batch_file", str(tmp_path / "b"), "--batch_answers", str(answers))
    assert lost_nothing(world, "--overwrite", "-o", str(answers), *given)
    assert "the output would overwrite --batch_answers" in capsys.readouterr().err


def test_shards_have_files_of_their_own(tmp_path: Path) -> None:
    world = prepare(tmp_path, ranked("A", "B", "C", "D", sentences=["It sank."]))
    file = tmp_path / "batch.jsonl"
    for part in ("0/2", "1/2"):
        assert ask(world, SPEC, "--batch_file", ".", "--shard", part) == 2
        assert ask(world, SPEC, "--batch_file", str(file), "--shard", part) == 4
    lines = [read_lines(tmp_path / f"batch.{name}.jsonl") for name in ("0-2", "2-4")]
    assert not file.exists()
    assert len({line["custom_id"] for both in lines for line in both}) == 4
    for number, sent in enumerate(lines):
        answered = [line_of(line["custom_id"], body_of(line["body"])) for line in sent]
        answers = write_lines(tmp_path / f"{number}.jsonl", *answered)
        flags = ("--batch_file", str(file), "--batch_answers", str(answers))
        assert ask(world, SPEC, *flags, "--shard", f"{number}/2") == 0
    assert merge.main([str(world.output)]) == 0
    manifest = read_manifest(world.output)
    assert manifest is not None
    assert [Path(one.path).name for one in manifest.answers] == ["0.jsonl", "1.jsonl"]


def test_requests_of_another_range_are_not_replaced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    world = prepare(tmp_path, ranked("A", "B", "C", sentences=["It sank."]))
    file, other = tmp_path / "batch.jsonl", str(tmp_path / "other.json")
    by_chat = ("--chat", "--batch_file", str(file))
    assert ask(world, SPEC, *by_chat, "--end", "1") == 4
    (first,) = read_lines(file)
    capsys.readouterr()
    rest = ("--start", "1", "-o", other, "--num_examples", "0")
    assert ask(world, SPEC, *by_chat, *rest) == 2
    error = capsys.readouterr().err
    assert f"{file}: has 1 request that this command does not ask (of another run, or of this one with other" in error
    assert "name another file, or remove this one" in error
    assert read_lines(file) == [first]
    answers = write_lines(tmp_path / "answers.jsonl", line_of(first["custom_id"], body_of(first["body"])))
    assert ask(world, SPEC, *by_chat, *rest, "--batch_answers", str(answers)) == 4
    assert first not in read_lines(file)
