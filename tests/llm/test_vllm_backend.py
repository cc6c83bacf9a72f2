"""The vLLM backend on an imitation of vLLM, in which one word is one token."""

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

from src.errors import InputError, MissingExtra, ModelError
from src.llm import LanguageModel, Options, Request, get_llm
from src.llm.protocol import Reading
from src.llm.vllm_backend import INVARIANT, SURROUNDINGS

CONTEXT = 12


class Words:
    """Tokenizer whose tokens are words, with one special token at the beginning."""

    added_tokens_decoder: ClassVar[dict[int, Any]] = {}
    chat_template = "given"

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
    def __init__(self, grammar: str | None = None, json: str | None = None) -> None:
        self.grammar, self.json = grammar, json


class SamplingParams:
    def __init__(
        self, *, max_tokens: int, temperature: float = 1.0, seed: int | None = None, stop: list[str] | None = None,
        logprob_token_ids: list[int] | None = None, structured_outputs: StructuredOutputsParams | None = None,
        include_stop_str_in_output: bool = False,
    ) -> None:  # fmt: skip
        self.max_tokens, self.temperature, self.seed, self.stop = max_tokens, temperature, seed, stop
        self.logprob_token_ids, self.structured_outputs = logprob_token_ids, structured_outputs
        self.include_stop_str_in_output = include_stop_str_in_output


COMMITS = {"hub/model": "c0ffee"}


class LLM:
    """Imitation of `vllm.LLM` that answers "yes and no", up to and including a stop string.

    After a prompt of P tokens, the token with id N has log-probability -N - P / 100.
    """

    def __init__(self, model: str, **settings: object) -> None:
        if model == "none":
            raise OSError("no such model")
        self.settings = settings
        config = SimpleNamespace(
            max_model_len=CONTEXT, dtype="torch.float16", hf_config=SimpleNamespace(_commit_hash=COMMITS.get(model))
        )
        self.llm_engine = SimpleNamespace(model_config=config)
        self.tokenizer = Words()
        self.calls: list[tuple[list[dict[str, list[int]]], list[SamplingParams]]] = []
        self.emptied = 0

    def get_tokenizer(self) -> Words:
        return self.tokenizer

    def reset_prefix_cache(self) -> bool:
        self.emptied += 1
        return True

    def generate(self, prompts: list[dict[str, list[int]]], params: list[SamplingParams], use_tqdm: bool) -> list[Any]:
        self.calls.append((prompts, params))
        return [self.answer(prompt["prompt_token_ids"], one) for prompt, one in zip(prompts, params, strict=True)]

    def answer(self, tokens: Sequence[int], params: SamplingParams) -> Any:
        text, stop_reason = "", None
        for word in ("yes", " and", " no")[: params.max_tokens]:
            text += word
            stop_reason = next((one for one in params.stop or [] if one in text), None)
            if stop_reason:
                break
        reason = "stop" if stop_reason or text == "yes and no" else "length"
        assert params.include_stop_str_in_output or not params.stop
        wanted = params.logprob_token_ids
        logprobs = (
            [{token: SimpleNamespace(logprob=-token - len(tokens) / 100) for token in wanted}] if wanted else None
        )
        output = SimpleNamespace(
            text=text, token_ids=text.split(), finish_reason=reason, stop_reason=stop_reason, logprobs=logprobs
        )
        return SimpleNamespace(prompt_token_ids=tokens, outputs=[output])


@pytest.fixture(autouse=True)
def platform(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Put the imitation in the place of vLLM, and return its platform, a CPU."""
    for name in (*SURROUNDINGS, INVARIANT):  # monkeypatch then removes what the backend sets
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)
    package, params, platforms = ModuleType("vllm"), ModuleType("vllm.sampling_params"), ModuleType("vllm.platforms")
    cpu = SimpleNamespace(device_type="cpu")
    vars(platforms).update(current_platform=cpu)
    package.__spec__ = ModuleSpec("vllm", None)
    vars(package).update(LLM=LLM, SamplingParams=SamplingParams)
    vars(params).update(StructuredOutputsParams=StructuredOutputsParams)
    monkeypatch.setitem(sys.modules, "vllm", package)
    monkeypatch.setitem(sys.modules, "vllm.sampling_params", params)
    monkeypatch.setitem(sys.modules, "vllm.platforms", platforms)
    return cpu


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
    assert engine_of(model).settings["enforce_eager"] is True


def test_a_schema_holds_the_answer() -> None:
    model = get_llm("vllm:some/model")
    model.complete([Request("one", schema="{}", grammar="root ::= x")])
    ((_, (held,)),) = engine_of(model).calls
    assert (held.structured_outputs.json, held.structured_outputs.grammar) == ("{}", None)


def test_choices_are_scored_whole() -> None:
    model = get_llm("vllm:some/model")
    free, one, other = model.complete(
        [Request("w1"), Request("w1", choices=("w2", "w3 w4"), first_tokens=True), Request("w1", choices=("w4", "w3"))]
    )
    assert (free.text, free.stopped) == ("yes and no", "eos")
    assert one.scores == pytest.approx((-2.02, -3.02 - 4.03))
    assert (one.text, one.method, one.prompt_tokens) == ("w2", "label_tokens", 2)
    assert other.text == "w3"


def test_one_request_for_each_inner_node_of_the_tree_of_choices() -> None:
    model = get_llm("vllm:some/model")
    (reply,) = model.complete([Request("w1", choices=("w2 w3", "w2 w4", "w5"))])
    ((prompts, params),) = engine_of(model).calls
    assert [prompt["prompt_token_ids"] for prompt in prompts] == [[0, 1], [0, 1, 2]]
    assert [one.logprob_token_ids for one in params] == [[2, 5], [3, 4]]
    assert [one.max_tokens for one in params] == [1, 1]
    assert reply.scores == pytest.approx((-2.02 - 3.03, -2.02 - 4.03, -5.02))


def test_the_engine_stops_where_reading_ends() -> None:
    model = get_llm("vllm:some/model")
    read, cut = model.complete(
        [Request("w1", reading=Reading(99, "and")), Request("w1", stop=(" no",), reading=Reading(99, "never"))]
    )
    assert (read.text, read.new_tokens) == ("yes and", 2)
    assert (cut.text, cut.stopped) == ("yes and", "stop")


def test_more_branches_than_vllm_returns_are_an_error() -> None:
    model = get_llm("vllm:some/model")
    with pytest.raises(ModelError, match="more than 128 choices differ in one token"):
        model.complete([Request("w1", choices=tuple(f"c{number}" for number in range(129)))])


def test_what_does_not_fit_is_an_error() -> None:
    model = get_llm("vllm:some/model")
    with pytest.raises(ModelError, match="the prompt has 13 tokens, the context is 12"):
        model.complete([Request("x " * 12)])
    with pytest.raises(ModelError, match="the prompt has 3 tokens, max_length is 3"):
        model.complete([Request("x x", max_length=3)])
    with pytest.raises(ModelError, match="has no tokens"):
        model.complete([Request("x", choices=("a", " "))])


def test_a_model_of_the_hub_has_its_revision() -> None:
    assert get_llm("vllm:hub/model").info.details["revision"] == "c0ffee"


def test_info_and_counting() -> None:
    model = get_llm("vllm:some/model")
    info = model.info
    assert (info.engine, info.context) == ("vllm", 12)
    assert info.details == {
        "dtype": "float16",
        "version": "unknown",
        "device": "cpu",
        "prefix_cache": "emptied before each call",
        "batch_invariant": "no",
    }
    assert info.can == {"seed", "label_tokens", "grammar"}
    assert model.count_tokens(["a b", ""]) == [2, 0]
    assert model.complete([]) == []


@pytest.mark.parametrize(
    ("device", "variables", "deterministic", "emptied"),
    [
        ("cpu", {}, True, 2),
        ("cuda", {}, True, 2),
        ("cuda", {"VLLM_ENABLE_V1_MULTIPROCESSING": "1"}, False, 2),
        ("cuda", {"VLLM_ENABLE_V1_MULTIPROCESSING": "1", INVARIANT: "1"}, True, 0),
        ("cpu", {"VLLM_ENABLE_V1_MULTIPROCESSING": "1", INVARIANT: "1"}, False, 2),
    ],
)
def test_when_answers_are_the_same_each_time(
    platform: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    device: str,
    variables: dict[str, str],
    deterministic: bool,
    emptied: int,
) -> None:
    platform.device_type = device
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    model = get_llm("vllm:some/model")
    for _ in range(2):
        model.complete([Request("w1")])
    assert model.info.deterministic is deterministic
    assert (engine_of(model).emptied, engine_of(model).settings["enforce_eager"]) == (emptied, device == "cpu")
    kept = "kept" if emptied == 0 else "emptied before each call"
    assert model.info.details["prefix_cache"] == kept


def test_a_model_that_is_not_there_and_vllm_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="vLLM cannot load it: no such model"):
        get_llm("vllm:none")
    monkeypatch.setattr("src.errors.find_spec", lambda package: None)
    with pytest.raises(
        MissingExtra, match=r"vllm; run: bash script/setup\.sh --vllm, then \. \.venv-vllm/bin/activate$"
    ):
        get_llm("vllm:some/model")
