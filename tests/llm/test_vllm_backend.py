"""The vLLM backend on an imitation of vLLM, in which one word is one token."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from src.errors import InputError, MissingExtra, ModelError
from src.llm import LanguageModel, Options, Request, get_llm

CONTEXT = 12


class Words:
    """Tokenizer whose tokens are words, with one special token at the beginning."""

    added_tokens_decoder: ClassVar[dict[int, Any]] = {}

    def __init__(self) -> None:
        self.words = ["<s>"]

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        for word in text.split():
            if word not in self.words:
                self.words.append(word)
        return [0] * add_special_tokens + [self.words.index(word) for word in text.split()]

    def apply_chat_template(self, turns: list[dict[str, str]], *, tokenize: bool, add_generation_prompt: bool) -> str:
        assert (tokenize, add_generation_prompt) == (False, True)
        return " ".join(["<s>", *[f"{turn['role']} {turn['content']}" for turn in turns], "assistant"])


class StructuredOutputsParams:
    def __init__(self, grammar: str) -> None:
        self.grammar = grammar


class SamplingParams:
    def __init__(
        self, *, max_tokens: int, temperature: float = 1.0, seed: int | None = None, stop: list[str] | None = None,
        prompt_logprobs: int | None = None, structured_outputs: StructuredOutputsParams | None = None,
    ) -> None:  # fmt: skip
        self.max_tokens, self.temperature, self.seed, self.stop = max_tokens, temperature, seed, stop
        self.prompt_logprobs, self.structured_outputs = prompt_logprobs, structured_outputs


class LLM:
    """Imitation of `vllm.LLM` that answers "yes and no".

    The token with id N at index P of a prompt has log-probability -N - P / 100.
    """

    def __init__(self, model: str, **settings: object) -> None:
        if model == "none":
            raise OSError("no such model")
        self.settings = settings
        self.llm_engine = SimpleNamespace(model_config=SimpleNamespace(max_model_len=CONTEXT, dtype="torch.float16"))
        self.tokenizer = Words()
        self.calls: list[tuple[list[dict[str, list[int]]], list[SamplingParams]]] = []

    def get_tokenizer(self) -> Words:
        return self.tokenizer

    def generate(self, prompts: list[dict[str, list[int]]], params: list[SamplingParams], use_tqdm: bool) -> list[Any]:
        self.calls.append((prompts, params))
        return [self.answer(prompt["prompt_token_ids"], one) for prompt, one in zip(prompts, params, strict=True)]

    def answer(self, tokens: Sequence[int], params: SamplingParams) -> Any:
        answer = ["yes", " and", " no"][: params.max_tokens]
        reason = "length" if len(answer) == params.max_tokens else "stop"
        output = SimpleNamespace(text="".join(answer), token_ids=answer, finish_reason=reason, stop_reason=None)
        entries = [
            {token: SimpleNamespace(logprob=-token - place / 100), -1: None} for place, token in enumerate(tokens)
        ]
        logprobs = [None, *entries[1:]] if params.prompt_logprobs is not None else None
        return SimpleNamespace(prompt_token_ids=tokens, prompt_logprobs=logprobs, outputs=[output])


@pytest.fixture(autouse=True)
def vllm(monkeypatch: pytest.MonkeyPatch) -> None:
    package, params = ModuleType("vllm"), ModuleType("vllm.sampling_params")
    package.__spec__ = ModuleSpec("vllm", None)
    vars(package).update(LLM=LLM, SamplingParams=SamplingParams)
    vars(params).update(StructuredOutputsParams=StructuredOutputsParams)
    monkeypatch.setitem(sys.modules, "vllm", package)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", params)


def engine_of(model: LanguageModel) -> Any:
    return vars(model)["_engine"]


def test_a_batch_is_handed_over_at_once() -> None:
    model = get_llm("vllm:some/model", Options(dtype="float16"))
    requests = [
        Request("one two", stop=(" and",), temperature=0.5, seed=3, grammar="root ::= x"),
        Request("one", chat=True, system="Be brief.", max_length=8),
    ]
    first, second = model.complete(requests)
    assert (first.text, first.prompt_tokens, first.stopped) == ("yes", 3, "stop")
    assert (second.text, second.prompt_tokens, second.new_tokens, second.stopped) == ("yes", 7, 1, "length")
    ((prompts, (drawn, plain)),) = engine_of(model).calls
    assert [prompt["prompt_token_ids"][0] for prompt in prompts] == [0, 0]
    assert (drawn.temperature, drawn.seed, drawn.stop, drawn.max_tokens) == (0.5, 3, [" and"], CONTEXT - 3)
    assert drawn.structured_outputs.grammar == "root ::= x"
    assert plain.structured_outputs is None
    assert engine_of(model).settings["enable_prefix_caching"] is True


def test_choices_are_scored_whole() -> None:
    model = get_llm("vllm:some/model")
    free, one, other = model.complete(
        [Request("w1"), Request("w1", choices=("w2", "w3 w4"), first_tokens=True), Request("w1", choices=("w4", "w3"))]
    )
    assert (free.text, free.stopped) == ("yes and no", "eos")
    assert one.scores == pytest.approx((-2.02, -3.02 - 4.03))
    assert (one.text, one.method, one.prompt_tokens) == ("w2", "label_tokens", 2)
    assert other.text == "w3"


def test_what_does_not_fit_is_an_error() -> None:
    model = get_llm("vllm:some/model")
    with pytest.raises(ModelError, match="the prompt has 13 tokens, the context is 12"):
        model.complete([Request("x " * 12)])
    with pytest.raises(ModelError, match="the prompt has 3 tokens, max_length is 3"):
        model.complete([Request("x x", max_length=3)])
    with pytest.raises(ModelError, match="has no tokens"):
        model.complete([Request("x", choices=("a", " "))])


def test_info_and_counting() -> None:
    model = get_llm("vllm:some/model")
    info = model.info
    assert (info.engine, info.context, info.deterministic, info.details) == ("vllm", 12, False, {"dtype": "float16"})
    assert info.can == {"seed", "label_tokens", "grammar"}
    assert model.count_tokens(["a b", ""]) == [2, 0]
    assert model.complete([]) == []


def test_a_model_that_is_not_there_and_vllm_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="vLLM cannot load it: no such model"):
        get_llm("vllm:none")
    monkeypatch.setattr("src.errors.find_spec", lambda package: None)
    with pytest.raises(MissingExtra, match="needs the package vllm"):
        get_llm("vllm:some/model")
