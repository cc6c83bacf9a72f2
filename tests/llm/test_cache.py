"""Cached answers equal fresh ones, for the same model and request only, whatever happened to the file."""

import ast
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from src import llm
from src.errors import InputError, ModelError, OutputError
from src.llm import Options, get_llm
from src.llm.cache import CachedModel, file_name, key_of
from src.llm.progress import listening
from src.llm.protocol import LanguageModel, ModelInfo, PartialError, Reading, Reply, Request

INFO = ModelInfo("m", "none", "a/model", sha256="00", details={"dtype": "float32"})
REQUESTS = [Request("One?"), Request("Two?", choices=("a", "b"))]


class Counting:
    """Model that records its requests, and fails on the prompt `Fail!`."""

    def __init__(self, info: ModelInfo = INFO) -> None:
        self.info = info
        self.requests: list[Request] = []

    def complete(self, requests: Sequence[Request]) -> list[Reply]:
        if any(request.prompt == "Fail!" for request in requests):
            raise ModelError("no answer")
        self.requests += requests
        return [Reply(f"{one.prompt} é\n\u2028", 3, 1, "eos", (-1e-17, -0.1 - 0.2)) for one in requests]

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]


def cached(folder: Path, info: ModelInfo = INFO) -> tuple[CachedModel, Counting]:
    inner = Counting(info)
    return CachedModel(inner, folder), inner


def test_cached_answers_are_those_of_the_model(tmp_path: Path) -> None:
    fresh = Counting().complete(REQUESTS)
    first, _ = cached(tmp_path / "new")
    assert first.complete(REQUESTS) == fresh
    again, inner = cached(tmp_path / "new")
    assert again.complete(REQUESTS[::-1]) == fresh[::-1]
    assert (inner.requests, again.info, again.count_tokens(["abc"])) == ([], INFO, [3])


def test_each_new_request_is_sent_once(tmp_path: Path) -> None:
    model, inner = cached(tmp_path)
    model.complete(REQUESTS[:1])
    same = msgspec.structs.replace(REQUESTS[1], role="another")
    replies = model.complete([REQUESTS[1], REQUESTS[0], same, Request("Three?")])
    assert [one.prompt for one in inner.requests] == ["One?", "Two?", "Three?"]
    assert [reply.text[:5] for reply in replies] == ["Two? ", "One? ", "Two? ", "Three"]


def test_cached_answers_count_as_progress(tmp_path: Path) -> None:
    model, _ = cached(tmp_path)
    model.complete(REQUESTS[:1])
    counts: list[int] = []
    with listening(counts.append):
        model.complete([*REQUESTS, REQUESTS[0], REQUESTS[1]])
    assert counts == [2, 1]  # cached ones first; the model reports its own; then the repeated request


def test_the_request_of_an_empty_answer_is_sent_again(tmp_path: Path) -> None:
    class Silent(Counting):
        def complete(self, requests: Sequence[Request]) -> list[Reply]:
            super().complete(requests)
            return [Reply("", 3, 0, "empty") for _ in requests]

    silent = Silent()
    assert [one.stopped for one in CachedModel(silent, tmp_path).complete(REQUESTS[:1])] == ["empty"]
    model, inner = cached(tmp_path)
    assert model.complete(REQUESTS[:1])[0].text
    assert len(inner.requests) == 1


def test_what_may_change_an_answer_makes_another_key() -> None:
    others = {
        "prompt": "x", "chat": True, "system": "x", "max_new_tokens": 1, "max_length": 9, "stop": ("x",),
        "num_beams": 2, "no_repeat_ngram_size": 2, "temperature": 0.1, "seed": 1, "choices": ("x",),
        "first_tokens": True, "reading": Reading(3, "?"), "shared": 1, "grammar": "x",
        "schema": "{}",
    }  # fmt: skip
    assert others.keys() | {"role"} == set(Request.__struct_fields__)
    keys = {key_of(msgspec.structs.replace(Request("p"), **{name: value})) for name, value in others.items()}
    assert len(keys | {key_of(Request("p")), key_of(Request("p", role="x"))}) == len(others) + 1


def test_keys_from_before_schemas_are_still_found() -> None:
    fields = msgspec.to_builtins(Request("p"))
    del fields["schema"]
    assert key_of(Request("p", role="x")) == sha256(msgspec.json.encode(fields | {"role": ""})).hexdigest()


@pytest.mark.parametrize("change", [{"sha256": "01"}, {"details": {"dtype": "bfloat16"}}, {"spec": "n"}])
def test_another_model_has_a_file_of_its_own(tmp_path: Path, change: dict[str, object]) -> None:
    cached(tmp_path)[0].complete(REQUESTS)
    model, inner = cached(tmp_path, msgspec.structs.replace(INFO, **change))
    model.complete(REQUESTS)
    assert inner.requests == REQUESTS
    assert len(list(tmp_path.glob("a_model.*.jsonl"))) == 2


def engines() -> set[str]:
    """Return the names of all engines: what src/llm passes to ModelInfo as `engine`."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in Path(llm.__file__).parent.glob("*.py"))
    calls = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call))
    infos = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "ModelInfo")
    return {ast.literal_eval(info.args[1]) for info in infos}


@pytest.mark.parametrize("engine", sorted(engines() - {"openai", "scripted"}))  # these two compute nothing here
def test_another_version_of_the_engine_is_another_model(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    info = msgspec.structs.replace(INFO, engine=engine)
    before = file_name(info)
    monkeypatch.setattr("src.llm.cache.version", lambda package: f"{package} 999")
    assert file_name(info) != before


def test_our_own_layers_are_an_engine() -> None:
    assert {"torch", "transformers", "llama.cpp", "vllm"} <= engines()


def test_a_model_on_more_threads_is_the_same_model() -> None:
    one, two = (msgspec.structs.replace(INFO, details={"slots": "1", "threads": number}) for number in ("1", "2"))
    assert file_name(one) == file_name(two)
    assert file_name(one) != file_name(msgspec.structs.replace(INFO, details={"slots": "2", "threads": "1"}))


@pytest.mark.parametrize("damage", ["cut", "rubbish", "half a line", "nulls"])
def test_the_request_of_a_damaged_line_is_sent_again(tmp_path: Path, damage: str) -> None:
    fresh = cached(tmp_path)[0].complete(REQUESTS)
    (path,) = tmp_path.iterdir()
    first, second = path.read_bytes().splitlines(keepends=True)
    spoilt = {"cut": second[:40], "rubbish": b"\xff{]\n", "half a line": second[:-1], "nulls": b"\0" * 9 + b"\n"}
    path.write_bytes(first + spoilt[damage])
    model, inner = cached(tmp_path)
    assert model.complete(REQUESTS) == fresh
    assert inner.requests == REQUESTS[1:]
    last, inner = cached(tmp_path)
    assert last.complete(REQUESTS) == fresh
    assert inner.requests == []


def test_a_changed_byte_in_an_answer_is_detected(tmp_path: Path) -> None:
    fresh = cached(tmp_path)[0].complete(REQUESTS)
    (path,) = tmp_path.iterdir()
    path.write_bytes(path.read_bytes().replace(b"Two? ", b"Twa? "))
    model, inner = cached(tmp_path)
    assert model.complete(REQUESTS) == fresh
    assert inner.requests == REQUESTS[1:]


def test_answers_of_an_earlier_version_are_read(tmp_path: Path) -> None:
    fresh = cached(tmp_path)[0].complete(REQUESTS)
    (path,) = tmp_path.iterdir()
    path.write_bytes(b"".join(line[9:] for line in path.read_bytes().splitlines(keepends=True)))
    model, inner = cached(tmp_path)
    assert model.complete(REQUESTS) == fresh
    assert inner.requests == []


def test_processes_share_what_they_append(tmp_path: Path) -> None:
    one, _ = cached(tmp_path)
    other, inner = cached(tmp_path)
    other.complete([Request("Zero?")])
    one.complete(REQUESTS)
    other.complete(REQUESTS)
    assert [request.prompt for request in inner.requests] == ["Zero?"]


def test_a_failed_call_is_not_cached(tmp_path: Path) -> None:
    model, inner = cached(tmp_path)
    with pytest.raises(ModelError):
        model.complete([REQUESTS[0], Request("Fail!")])
    assert list(tmp_path.iterdir()) == []
    model.complete(REQUESTS[:1])
    assert inner.requests == REQUESTS[:1]


def test_the_answers_of_a_batch_that_failed_in_part_are_cached(tmp_path: Path) -> None:
    class FailingInPart(Counting):
        def complete(self, requests: Sequence[Request]) -> list[Reply]:
            self.requests += requests
            raise PartialError(
                [ModelError("no") if one == REQUESTS[1] else Reply("x", 1, 1, "eos") for one in requests]
            )

    inner = FailingInPart()
    model = CachedModel(inner, tmp_path)
    for _ in range(2):
        with pytest.raises(PartialError, match="no") as caught:
            model.complete(REQUESTS)
        assert [isinstance(one, Reply) for one in caught.value.replies] == [True, False]
    assert inner.requests == [*REQUESTS, REQUESTS[1]]


@pytest.mark.parametrize("reply", [Reply("\ud83d", 1, 1, "eos"), Reply("x", 1, 0, "choices", (float("-inf"),))])
def test_a_reply_that_json_cannot_represent_is_not_cached(
    tmp_path: Path, reply: Reply, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Counting, "complete", lambda self, requests: [reply])
    assert cached(tmp_path)[0].complete(REQUESTS[:1]) == [reply]
    assert next(tmp_path.iterdir()).read_bytes() == b""


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="file"):
        cached(tmp_path / "file")[0].complete(REQUESTS)


def test_by_name(tmp_path: Path, causal_folder: Path) -> None:
    options = Options(dtype="float32", device="cpu", cache_dir=tmp_path)
    first: LanguageModel = get_llm(f"hf:{causal_folder}", options)
    replies = first.complete(REQUESTS)
    again = get_llm(f"hf:{causal_folder}", options)
    assert isinstance(again, CachedModel)
    before = [path.read_bytes() for path in tmp_path.iterdir()]
    assert again.complete(REQUESTS) == replies
    assert [path.read_bytes() for path in tmp_path.iterdir()] == before
    with pytest.raises(InputError, match=r"the answers of scripted:none\.jsonl depend on their order"):
        get_llm("scripted:none.jsonl", options)
