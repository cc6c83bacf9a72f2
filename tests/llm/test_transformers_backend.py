"""A batch gives the answers of its requests one by one, and each equals that of `model.generate`."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

from src.errors import Cancelled, ModelError
from src.llm import Options, Request, get_llm
from src.llm.batching import sub_batches
from src.llm.progress import answered, listening
from src.llm.protocol import Reading
from src.llm.rows import row_of
from src.llm.transformers_backend import TransformersModel
from tests.tiny_models import sentences

PROMPTS = [text[: 20 + 3 * number] for number, text in enumerate(sentences()[::24])]
WAYS: dict[str, dict[str, Any]] = {
    "greedy": {},
    "beams": {"num_beams": 3},
    "beams and n-gram ban": {"num_beams": 2, "no_repeat_ngram_size": 2},
    "stop": {"stop": ("ap", "on", "e")},
    "stop with beams": {"num_beams": 2, "stop": ("ap", "on", "e")},
    "sampling": {"temperature": 0.7, "seed": 5},
    "chat": {"chat": True, "system": "Be brief."},
    "own limits": {"max_length": 30},
    "own limits with beams": {"num_beams": 2, "max_length": 30},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_batch_equals_one_by_one(kind: str, way: str, request: pytest.FixtureRequest) -> None:
    model: TransformersModel = request.getfixturevalue(kind)
    requests = [Request(prompt, **{"max_new_tokens": 14} | WAYS[way]) for prompt in PROMPTS]
    assert model.complete(requests) == [model.complete([single])[0] for single in requests]


@pytest.mark.parametrize("way", ["greedy", "beams", "beams and n-gram ban"])
@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
def test_equals_generate(kind: str, way: str, request: pytest.FixtureRequest) -> None:
    folder: Path = request.getfixturevalue(f"{kind}_folder")
    model: TransformersModel = request.getfixturevalue(kind)
    loader: Any = AutoModelForCausalLM if kind == "causal" else AutoModelForSeq2SeqLM
    raw, tokenizer = loader.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    replies = model.complete([Request(prompt, **{"max_new_tokens": 14} | WAYS[way]) for prompt in PROMPTS])
    for prompt, reply in zip(PROMPTS, replies, strict=True):
        ids = tokenizer(prompt, return_tensors="pt").input_ids
        early = {"early_stopping": True} if way != "greedy" else {}
        out = raw.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=14, **WAYS[way], **early)[0]
        new = out[ids.shape[1] :] if kind == "causal" else out[1:]
        assert reply.text == tokenizer.decode(new, skip_special_tokens=True)
        assert reply.prompt_tokens == ids.shape[1]


def test_requests_of_all_kinds_mix_and_keep_their_order(causal: TransformersModel) -> None:
    requests = [Request(PROMPTS[n], **{"max_new_tokens": 6} | way) for n, way in enumerate(WAYS.values())]
    requests.insert(2, Request(PROMPTS[0], choices=("true", "false")))
    mixed = causal.complete(requests)
    for single, reply in zip(requests, mixed, strict=True):
        (alone,) = causal.complete([single])
        assert (alone.text, alone.stopped, alone.new_tokens) == (reply.text, reply.stopped, reply.new_tokens)


def test_stops_as_soon_as_the_string_appears(causal: TransformersModel) -> None:
    (free,) = causal.complete([Request(PROMPTS[4], max_new_tokens=30)])
    stop = free.text[8:10]
    (cut,) = causal.complete([Request(PROMPTS[4], max_new_tokens=30, stop=(stop,))])
    assert cut.text == free.text[: free.text.index(stop)]
    assert cut.stopped == "stop"
    assert cut.new_tokens < free.new_tokens


def test_stop_string_over_several_tokens(causal: TransformersModel) -> None:
    (free,) = causal.complete([Request(PROMPTS[4], max_new_tokens=30)])
    stop = free.text[3:14]
    assert causal.count_tokens([stop])[0] > 2
    (cut,) = causal.complete([Request(PROMPTS[4], max_new_tokens=30, stop=(stop,))])
    assert (cut.text, cut.stopped) == (free.text[:3], "stop")


def test_a_reply_has_the_reason_of_its_end(causal: TransformersModel) -> None:
    replies = causal.complete([Request(prompt, max_new_tokens=30) for prompt in sentences()[::24]])
    assert {reply.stopped for reply in replies} == {"eos", "length"}
    assert all((reply.new_tokens == 30) == (reply.stopped == "length") for reply in replies)
    (silent,) = causal.complete([Request("x", stop=tuple(replies[0].text[:1]), max_new_tokens=1)])
    assert silent.stopped in ("empty", "length")


def test_seeds(causal: TransformersModel) -> None:
    hot = Request(PROMPTS[3], max_new_tokens=12, temperature=1.0, seed=1)
    other = msgspec.structs.replace(hot, seed=2)
    first, second, third = causal.complete([hot, other, hot])
    assert first == third
    assert first.text != second.text
    assert causal.complete([other])[0] == second


def test_cold_sampling_is_greedy(causal: TransformersModel) -> None:
    greedy, cold = causal.complete([Request(PROMPTS[3], temperature=heat, max_new_tokens=9) for heat in (0.0, 1e-6)])
    assert greedy.text == cold.text


def test_draws_follow_the_distribution(causal: TransformersModel) -> None:
    """Draws one token 400 times at temperature 2 and compares with softmax(logits / 2)."""
    replies = causal.complete([Request(PROMPTS[0], max_new_tokens=1, temperature=2.0, seed=n) for n in range(400)])
    ids = torch.tensor([causal._tokenize([PROMPTS[0]], special=True)[0]])
    with torch.inference_mode():
        likely = (causal._model(ids).logits[0, -1] / 2).softmax(-1)
    best = int(likely.argmax())
    share = sum(reply.text == causal._tokenizer.decode([best]) for reply in replies) / len(replies)
    assert share == pytest.approx(float(likely[best]), abs=4 * (0.25 / 400) ** 0.5)


def test_max_length_counts_the_prompt(causal: TransformersModel) -> None:
    (reply,) = causal.complete([Request(PROMPTS[2], max_length=25, max_new_tokens=99)])
    assert reply.prompt_tokens + reply.new_tokens <= 25
    with pytest.raises(ModelError, match=r"the prompt has \d+ tokens, max_length is 3"):
        causal.complete([Request(PROMPTS[2], max_length=3)])


def test_answer_ends_at_the_context(causal: TransformersModel) -> None:
    (length,) = causal.count_tokens(["x " * 254])
    (reply,) = causal.complete([Request("x " * 254, max_new_tokens=99)])
    assert reply.new_tokens <= 512 - length
    with pytest.raises(ModelError, match="the prompt has 600 tokens, the context is 512"):
        causal.complete([Request("x " * 300)])
    with pytest.raises(ModelError, match="the context is 512"):
        causal.complete([Request("x " * 255, choices=("x x x x",))])


def test_empty_calls_and_prompts(causal: TransformersModel) -> None:
    assert causal.complete([]) == []
    assert causal.count_tokens([]) == []
    assert causal.complete([Request("", max_new_tokens=2)])[0].new_tokens <= 2


def test_without_a_template_the_system_text_is_put_before_the_prompt(seq2seq: TransformersModel) -> None:
    chat, plain = seq2seq.complete([Request("was it", chat=True, system="The city"), Request("The city\n\nwas it")])
    assert chat == plain


def test_info(causal: TransformersModel, seq2seq: TransformersModel, causal_folder: Path) -> None:
    assert causal.info.context == 512
    assert seq2seq.info.context is None
    assert causal.info.can == {"beams", "ngram_ban", "seed", "label_tokens"}
    assert causal.info.sha256 is not None
    assert causal.info.details["dtype"] == "float32"
    assert causal.info.spec == f"hf:{causal_folder}"


def test_model_that_does_not_fit_is_spread(
    causal_folder: Path, causal: TransformersModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("src.llm.loading.free_memory", lambda device: 1)
    spread = get_llm(str(causal_folder), Options(dtype="float32"))
    assert spread.info.details["device"] == "spread"
    requests = [Request(prompt, max_new_tokens=8) for prompt in PROMPTS]
    assert spread.complete(requests) == causal.complete(requests)


def test_whole_choices_are_scored_where_first_tokens_would_do(causal: TransformersModel) -> None:
    scoring = Request(PROMPTS[0], choices=(" one of them", " none"))
    assert causal.complete([msgspec.structs.replace(scoring, first_tokens=True)]) == causal.complete([scoring])


@given(st.lists(st.integers(1, 60)), st.integers(1, 8), st.integers(1, 200))
def test_every_row_once_sorted_and_within_the_limits(lengths: list[int], rows: int, tokens: int) -> None:
    batches = sub_batches(lengths, rows, tokens)
    order = [index for batch in batches for index in batch]
    assert sorted(order) == list(range(len(lengths)))
    assert [lengths[index] for index in order] == sorted(lengths)
    for batch in batches:
        padded = len(batch) * max(lengths[index] for index in batch)
        assert len(batch) <= rows
        assert padded <= tokens or len(batch) == 1


def test_equal_lengths_keep_their_order() -> None:
    assert sub_batches([5, 5, 3, 5], 3, 100) == [[2, 0, 1], [3]]


REQUESTS = [Request(text[:30], max_new_tokens=2 + place) for place, text in enumerate(sentences()[:4])]


def test_every_answer_is_reported(causal: TransformersModel) -> None:
    numbers: list[int] = []
    with listening(numbers.append):
        replies = causal.complete(REQUESTS)
    assert (sum(numbers), len(replies)) == (4, 4)
    assert numbers.count(0) > 0


def test_listening_changes_no_answer(causal: TransformersModel) -> None:
    with listening(lambda _: None):
        replies = causal.complete(REQUESTS)
    assert replies == causal.complete(REQUESTS)


def test_what_a_listener_raises_ends_the_call(causal: TransformersModel) -> None:
    def enough(number: int) -> None:
        raise Cancelled("enough")

    with pytest.raises(Cancelled), listening(enough):
        causal.complete(REQUESTS)
    answered(1)  # nobody listens any more


def test_room_for_keys_and_values_is_made_where_it_is_all_used(causal: TransformersModel) -> None:
    generator = causal._generator

    def room(request: Request) -> list[str]:
        row = row_of(causal.info, request, [5, 6, 7], generator.pad, 0)
        ids = torch.tensor([[5, 6, 7]])
        return [type(cache).__name__ for cache in generator._read(ids, torch.ones_like(ids), [row]).values()]

    assert room(Request("p", max_new_tokens=9)) == ["StaticCache"]
    assert room(Request("p", max_new_tokens=9, num_beams=2)) == ["DynamicCache"]
    assert room(Request("p", max_new_tokens=9, reading=Reading(20, "?"))) == []
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert room(Request("p", max_new_tokens=9)) == []
