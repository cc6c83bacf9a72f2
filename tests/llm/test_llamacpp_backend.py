"""llama.cpp with the bundled model, on one thread, so that a busy machine does not change the results."""

import json
import math
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from src.errors import InputError, ModelError
from src.llm import LanguageModel, Options, Request, get_llm
from src.llm.llamacpp_backend import MOST_PREFIXES, LlamaCppModel
from src.llm.weights import SMOLLM2

pytestmark = pytest.mark.long

PROMPTS = ["The capital of France is", "Two and two are", "Water boils at", "The opposite of hot is"]


@pytest.fixture(scope="module")
def gguf(pretrained: Path) -> Path:
    return pretrained / SMOLLM2.folder / SMOLLM2.files[0].path


@pytest.fixture(scope="module")
def model(gguf: Path) -> LanguageModel:
    return get_llm(f"gguf:{gguf}", Options(threads=1, context=512))


def test_same_batch_gives_the_same_text_twice_and_one_by_one(model: LanguageModel) -> None:
    requests = [Request(prompt, max_new_tokens=8) for prompt in PROMPTS]
    first = model.complete(requests)
    assert first == model.complete(requests)
    assert first == [model.complete([single])[0] for single in reversed(requests)][::-1]
    assert "Paris" in first[0].text
    assert all(reply.new_tokens <= 8 for reply in first)


def test_slots_answer_in_order(gguf: Path) -> None:
    many = get_llm(f"gguf:{gguf}", Options(threads=1, slots=3, context=256))
    assert not many.info.deterministic
    replies = many.complete([Request(prompt, max_new_tokens=3) for prompt in PROMPTS])
    assert [reply.prompt_tokens for reply in replies] == many.count_tokens(PROMPTS)


def test_stop_string_is_cut(model: LanguageModel) -> None:
    (reply,) = model.complete([Request(PROMPTS[0], max_new_tokens=30, stop=(".", "\n"))])
    assert (reply.text.strip(), reply.stopped) == ("Paris", "stop")


@pytest.mark.parametrize("chat", [False, True])
def test_what_requests_share_is_read_once(model: LanguageModel, chat: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    common = "\n".join(f"The town of number {n} has {n * 37 % 91} towers." for n in range(12)) + "\n"
    ends = ["Which town has most towers?", "How many?", "1", "town"]
    requests = [Request(common + end, chat=chat, max_new_tokens=6, shared=len(common)) for end in ends]
    read: list[int] = []
    call = LlamaCppModel._call

    def counted(self: LlamaCppModel, path: str, body: object = None) -> Any:
        answer = call(self, path, body)
        if path == "/completion":
            read.append(answer["timings"]["prompt_n"])
        return answer

    monkeypatch.setattr(LlamaCppModel, "_call", counted)
    first = model.complete(requests)
    assert read[0] > 150
    assert max(read[1:]) < 40
    again = model.complete(requests[::-1])[::-1]
    assert first == again
    assert len(read) == 1 + 2 * len(requests)
    plain = model.complete([msgspec.structs.replace(one, shared=0) for one in requests])
    assert [one.prompt_tokens for one in first] == [one.prompt_tokens for one in plain]


def test_what_was_forgotten_is_read_anew_and_answers_stay(
    gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = LlamaCppModel("gguf:x", gguf, Options(threads=1, context=128))
    requests = [Request("Two and two are four. It is", max_new_tokens=4, shared=len("Two and two are four."))]
    first, (state_file,) = model.complete(requests), tmp_path.glob("*/*")
    model.forget()
    assert not state_file.exists()
    assert model.complete(requests) == first
    assert next(tmp_path.glob("*/*")).name != state_file.name


def test_few_prefixes_are_cached(gguf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    model = get_llm(f"gguf:{gguf}", Options(threads=1, context=128, slots=2))
    heads = [f"Number {n} is large." for n in range(12)]
    requests = [Request(f"{head} It is", max_new_tokens=2, shared=len(head)) for head in heads]
    assert len(model.complete(requests * 2)) == 24
    assert len(list(tmp_path.glob("*/*"))) == MOST_PREFIXES
    del model
    assert list(tmp_path.iterdir()) == []


def test_limits(model: LanguageModel) -> None:
    (reply,) = model.complete([Request(PROMPTS[0], max_length=8)])
    assert (reply.prompt_tokens, reply.new_tokens, reply.stopped) == (5, 3, "length")
    with pytest.raises(ModelError, match="the prompt has 5 tokens, max_length is 5"):
        model.complete([Request(PROMPTS[0], max_length=5)])
    with pytest.raises(ModelError, match=r"the prompt has 6\d\d tokens, the context is 512"):
        model.complete([Request("x " * 600)])


def test_seeds(model: LanguageModel) -> None:
    hot = [Request("Once upon a time", max_new_tokens=8, temperature=1.0, seed=seed) for seed in (1, 2, 1)]
    first, second, third = model.complete(hot)
    assert first == third
    assert first != second


def test_choices_by_option_letters(model: LanguageModel) -> None:
    question = Request("What is the capital of France?", chat=True, choices=("Paris", "a spoon", "seven"))
    (reply,) = model.complete([question])
    assert reply.method == "option_letters"
    assert (reply.stopped, len(reply.scores), reply.new_tokens) == ("choices", 3, 2)
    assert max(reply.scores) < 0
    assert reply.text == question.choices[reply.scores.index(max(reply.scores))]


def test_choices_by_first_tokens(model: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    head = "Paris is in France. Ice is cold. Answer with True or False. "
    requests = [
        Request(f"{head}{end}", chat=True, choices=("True", "False"), first_tokens=True, shared=len(head))
        for end in ("Paris is in France. True or False?", "Ice is hot. True or False?")
    ]
    paths: list[str] = []
    call = LlamaCppModel._call

    def noted(self: LlamaCppModel, path: str, body: object = None) -> Any:
        paths.append(path)
        return call(self, path, body)

    monkeypatch.setattr(LlamaCppModel, "_call", noted)
    first = model.complete(requests)
    assert {reply.method for reply in first} == {"first_tokens"}
    assert all(0.5 < sum(map(math.exp, reply.scores)) < 1 for reply in first)
    assert [reply.new_tokens for reply in first] == [1, 1]
    paths.clear()
    assert model.complete(requests) == first
    assert paths.count("/completion") == 2
    assert paths.count("/slots/0?action=restore") == 2
    assert paths.count("/tokenize") == 2


def test_choices_that_begin_alike_have_letters(model: LanguageModel) -> None:
    question = Request("Which is it?", chat=True, choices=("a spoon", "a fork"), first_tokens=True)
    assert model.complete([question])[0].method == "option_letters"


def test_grammar_is_followed(model: LanguageModel) -> None:
    grammar = 'root ::= " " [a-z]{5} "!"'
    for temperature in (0.0, 1.5):
        request = Request(PROMPTS[0], max_new_tokens=20, grammar=grammar, temperature=temperature, seed=3)
        (reply,) = model.complete([request])
        assert re.fullmatch(" [a-z]{5}!", reply.text)
        assert reply.stopped == "eos"
    with pytest.raises(ModelError, match="grammar"):
        model.complete([Request(PROMPTS[0], grammar="root ::= nothing")])


def test_schema_is_followed(model: LanguageModel) -> None:
    number = {"type": "integer", "minimum": 1, "maximum": 5}
    schema: dict[str, object] = {"type": "object", "properties": {"b": number, "a": number}, "required": ["b", "a"]}
    schema |= {"additionalProperties": False}
    request = Request(PROMPTS[0], max_new_tokens=200, schema=json.dumps(schema), temperature=0.8, seed=3)
    (reply,) = model.complete([request])
    answer = json.loads(reply.text)
    assert list(answer) == ["b", "a"]
    assert all(value in range(1, 6) for value in answer.values())


def test_chat_uses_the_models_template(model: LanguageModel) -> None:
    plain, chat = model.complete([Request("Hello", chat=chat, max_new_tokens=2) for chat in (False, True)])
    assert plain.prompt_tokens == 1
    assert chat.prompt_tokens > 20


def test_info(model: LanguageModel) -> None:
    info = model.info
    assert (info.engine, info.context, info.deterministic, info.can) == (
        "llama.cpp",
        512,
        True,
        frozenset({"seed", "grammar"}),
    )
    assert info.sha256 == SMOLLM2.files[0].sha256


def test_empty_prompt_and_counting(model: LanguageModel) -> None:
    assert model.complete([Request("", max_new_tokens=2)])[0].new_tokens == 2
    assert model.count_tokens(["Hello there", ""]) == [2, 0]


def test_file_that_is_not_a_model(tmp_path: Path) -> None:
    path = tmp_path / "bad.gguf"
    with pytest.raises(InputError, match="no such GGUF file"):
        get_llm(f"gguf:{path}")
    path.write_bytes(b"not a model")
    with pytest.raises(InputError, match="cannot load it"):
        get_llm(f"gguf:{path}", Options(threads=1))
