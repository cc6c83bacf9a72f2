"""The loop of our own says what `generate` says, whatever stands beside a row; where it does not fit it is not used."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, MistralConfig
from transformers.integrations.sdpa_attention import sdpa_attention_forward

from src.llm import Options, Request, get_llm
from src.llm.decoding.batch_slots import Part
from src.llm.decoding.generation import Row, _seats
from src.llm.decoding.ragged_cache import BLOCK, RaggedCache
from src.llm.decoding.ragged_decoding import RaggedDecoder, suits
from src.llm.decoding.rows import Stopping
from src.llm.decoding.tiled_attention import TILE, tiled_attention
from src.llm.loading import load_pretrained
from src.llm.protocol import Reading
from src.llm.transformers_backend import TransformersModel
from tests.tiny_models import sentences

TEXTS = [f"The minister said that {text[: 9 + 5 * number]}" for number, text in enumerate(sentences()[::24])]


@pytest.fixture
def plain(causal_folder: Path) -> TransformersModel:
    """The same model, left to `generate`."""
    model = get_llm(f"hf:{causal_folder}", Options(dtype="float32", device="cpu", batch_rows=5))
    assert isinstance(model, TransformersModel)
    model._generator._by_ourselves = False
    return model


@pytest.mark.parametrize("stop", [(), ("e",), ("ap", "on", "?"), (" t",)])
def test_says_what_generate_says(causal: TransformersModel, plain: TransformersModel, stop: tuple[str, ...]) -> None:
    assert causal._generator._by_ourselves
    asked = [Request(text, max_new_tokens=30, stop=stop) for text in TEXTS]
    assert causal.complete(asked) == plain.complete(asked)


def test_samples_are_those_of_generate(causal: TransformersModel, plain: TransformersModel) -> None:
    """Beside the likeliest answer, as questions are written."""
    asked = [
        Request(text, max_new_tokens=5 + seed, temperature=0.8 if seed else 0.0, seed=seed, stop=("e",))
        for text in TEXTS[:5]
        for seed in (0, 1, 2)
    ]
    replies = causal.complete(asked)
    assert replies == plain.complete(asked)
    assert len({reply.text for reply in replies}) > len(replies) / 2
    assert causal.complete(asked[4:5]) == replies[4:5]
    assert causal.complete(asked[::3]) == replies[::3]


def test_what_is_drawn_goes_with_the_likeliest(causal: TransformersModel, monkeypatch: pytest.MonkeyPatch) -> None:
    batches: list[int] = []
    decode = RaggedDecoder.decode

    def counted(self: RaggedDecoder, prompts: list[list[int]], *rest: Any) -> list[list[int]]:
        batches.append(len(prompts))
        return decode(self, prompts, *rest)

    monkeypatch.setattr(RaggedDecoder, "decode", counted)
    causal.complete([Request(TEXTS[0], max_new_tokens=2, temperature=heat, seed=1) for heat in (0.0, 0.5, 0.0)])
    assert batches == [3]


def test_a_row_ends_at_its_own_limit(causal: TransformersModel, plain: TransformersModel) -> None:
    asked = [Request(text, max_length=34) for text in TEXTS[:6]]
    assert causal.complete(asked) == plain.complete(asked)


@pytest.mark.parametrize("prompts", [[[5]], [[5], [6, 7]], [[5, 6]], [[5, 6, 7]] * 3, [[5, 6, 7, 8], [5, 6]]])
def test_shortest_prompts(causal: TransformersModel, prompts: list[list[int]]) -> None:
    model = causal._model
    with torch.inference_mode():
        stopping = Stopping(causal._tokenizer, ())
        said = RaggedDecoder(model, prompts, 0).decode(prompts, [3] * len(prompts), [], stopping, 64)
    for prompt, tokens in zip(prompts, said, strict=True):
        ids = torch.tensor([prompt])
        expected = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=3, eos_token_id=None)
        assert tokens == expected[0, len(prompt) :].tolist()


def test_seats_are_given_on_and_taken_out(causal: TransformersModel, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve rows of three prompts on four seats, then a lone one on its two, whose cache is never copied."""
    steps, reads = list[int](), list[int]()
    score, read, select = RaggedDecoder._scores, RaggedDecoder._read, RaggedCache.select
    copies = list[int]()

    def scored(self: RaggedDecoder, cache: RaggedCache, tokens: list[int], places: list[int]) -> torch.Tensor:
        steps.append(len(tokens))
        return score(self, cache, tokens, places)

    def noted(self: RaggedDecoder, cache: RaggedCache, rows: list[list[int]], first: int) -> None:
        reads.append(len(rows))
        read(self, cache, rows, first)

    def selected(self: RaggedCache, rows: list[int]) -> None:
        copies.append(len(rows))
        select(self, rows)

    monkeypatch.setattr(RaggedDecoder, "_scores", scored)
    monkeypatch.setattr(RaggedDecoder, "_read", noted)
    monkeypatch.setattr(RaggedCache, "select", selected)
    prompts = [prompt for prompt in ([5, 6, 7, 8], [5, 6, 9, 8], [5, 6, 7, 7, 9]) for _ in range(4)]
    limits = [2, 4, 6, 8] * 3
    decoder, stopping = RaggedDecoder(causal._model, prompts, 0), Stopping(causal._tokenizer, ())
    with torch.inference_mode():
        said = decoder.decode(prompts, limits, [], stopping, 4)
        assert list(map(len, said)) == limits
        assert max(steps) == 4
        assert len(steps) < sum((8, 8, 8))  # the seats of short answers were not kept empty
        assert sum(reads) == 1 + 3  # the beginning, then each prompt once
        assert copies[-1] == 2
        steps.clear()
        copies.clear()
        assert decoder.decode(prompts[:1], [5], [], stopping, 4) == [said[3][:5]]
    assert (steps, copies) == ([2] * 5, [])


@pytest.mark.parametrize(("batch_rows", "batch_tokens", "seats"), [(5, 9999, 5), (64, 400, 4), (64, 60, 1)])
def test_long_rows_get_fewer_seats(
    causal: TransformersModel, batch_rows: int, batch_tokens: int, seats: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _seats(100, batch_rows, batch_tokens) == seats
    given: dict[int, int] = {}
    decode = RaggedDecoder.decode

    def seen(self: RaggedDecoder, prompts: Sequence[list[int]], *more: Any, **named: Any) -> list[list[int]]:
        given.update({len(prompt): more[3] for prompt in prompts})
        return decode(self, prompts, *more, **named)

    monkeypatch.setattr(RaggedDecoder, "decode", seen)
    rows = [Row(Request(text, max_new_tokens=9), causal._tokenize([text], special=True)[0], 9) for text in TEXTS[:6]]
    with torch.inference_mode():
        together = dict(causal._generator.answers(rows, batch_rows, batch_tokens))
        assert given == {len(row.tokens): _seats(row.cost, batch_rows, batch_tokens) for row in rows}
        alone = [dict(causal._generator.answers([row], 64, 9999))[0] for row in rows]
    assert [together[place] for place in range(len(rows))] == alone


def test_no_more_is_said_than_is_read(causal: TransformersModel) -> None:
    (free,) = causal.complete([Request(TEXTS[3], max_new_tokens=400)])
    (short,) = causal.complete([Request(TEXTS[3], max_new_tokens=400, reading=Reading(20, "\u2603"))])
    assert short.text == free.text[:20]
    assert short.new_tokens <= 32 <= free.new_tokens
    (cut,) = causal.complete([Request(TEXTS[3], max_new_tokens=400, reading=Reading(250, free.text[4]))])
    assert cut.text == free.text[: free.text.index(free.text[4]) + 1]


def test_bfloat16_in_a_batch_and_alone(pretrained: Path) -> None:
    """The bundled model, where the linear layers round one way whatever is beside a row."""
    if not (pretrained / "smollm2" / "transformers").is_dir():
        pytest.skip("the copy for transformers is not there; run: python -m src.llm.fetch smollm2")
    model = get_llm("smollm2:transformers", Options(dtype="bfloat16", device="cpu", batch_rows=16))
    texts = ["the ferry sank", "the old bridge was closed for a year", "who paid", "no", "it rained all day in May"]
    asked = [
        Request(
            f"Claim: All is well.\nEvidence: {text}\nQuestion:",
            stop=("?",),
            max_new_tokens=7,
            temperature=0.9 if seed else 0.0,
            seed=seed,
        )
        for text in texts
        for seed in range(14)
    ]
    together = model.complete(asked)
    for place in (0, 1, 14, 28, 42, 56, 69):
        assert model.complete(asked[place : place + 1]) == together[place : place + 1]
    assert [model.complete(asked[place : place + 3]) for place in (0, 33)] == [together[:3], together[33:36]]


def test_what_is_read_is_the_same_in_a_batch_and_alone(pretrained: Path) -> None:
    """Keys and values, to the bit: of short and long texts, from their common beginning on and from the first token."""
    if not (pretrained / "smollm2" / "transformers").is_dir():
        pytest.skip("the copy for transformers is not there; run: python -m src.llm.fetch smollm2")
    llm = get_llm("smollm2:transformers", Options(dtype="bfloat16", device="cpu"))
    assert isinstance(llm, TransformersModel)
    tokens = list(range(1000, 1400))
    prompts = [tokens[:70] + tokens[length : 2 * length - 70] for length in (75, 90, 129, 200, 235)]
    _, cache, taken = _read(llm, prompts)
    for prompt, row in zip(prompts, taken, strict=True):
        _, alone, (place,) = _read(llm, [prompt])
        for layer, both in cache._layers.items():
            for kept, other in zip(both, alone._layers[layer], strict=True):
                assert torch.equal(kept[row, : len(prompt) - 1], other[place, : len(prompt) - 1])


def _read(llm: TransformersModel, prompts: list[list[int]]) -> Part:
    with torch.no_grad():
        (part,) = RaggedDecoder(llm._model, prompts, 0)._filled([tuple(prompt) for prompt in prompts])
    return part


def test_tiles_are_the_attention_of_the_library() -> None:
    torch.manual_seed(3)
    module: Any = SimpleNamespace(num_key_value_groups=3, is_causal=True)
    for first, count in ((0, 1), (0, 32), (5, 70), (64, 3), (31, 34)):
        width = -(-(first + count) // TILE) * TILE
        query, key, value = torch.randn(2, 6, count, 8), torch.randn(2, 2, width, 8), torch.randn(2, 2, width, 8)
        mask = (torch.arange(width) <= torch.arange(first, first + count).unsqueeze(1)).expand(2, 1, count, width)
        found, _ = tiled_attention(module, query, key, value, mask, scaling=0.5)
        expected, _ = sdpa_attention_forward(module, query, key, value, mask, scaling=0.5)
        assert found.shape == expected.shape == (2, count, 6, 8)
        torch.testing.assert_close(found, expected)


def test_models_with_windows_are_left_to_generate(tmp_path: Path, causal_folder: Path) -> None:
    config = MistralConfig(
        vocab_size=50, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2,
        num_key_value_heads=2, sliding_window=4,
    )  # fmt: skip
    loaded = load_pretrained(str(causal_folder), Options(device="cpu"))
    assert suits(loaded)
    loaded.model.config = config
    assert not suits(loaded)


def test_the_cache_keeps_rows_apart() -> None:
    cache = RaggedCache(40)
    keys = torch.arange(6.0).reshape(2, 1, 3, 1)
    mask = cache.at(torch.tensor([[0, 1, 2], [5, 6, 7]]), 8)
    found, _ = cache.update(keys, keys, 0)
    assert found.shape == (2, 1, BLOCK, 1)
    assert found[0, 0, :3, 0].tolist() == [0, 1, 2]
    assert found[1, 0, 5:8, 0].tolist() == [3, 4, 5]
    assert mask.sum(-1).tolist() == [[[1, 2, 3]], [[6, 7, 8]]]
    cache.select([1])
    cache.at(torch.tensor([[0, 1, 2]]), 8)
    again, _ = cache.update(keys[:1], keys[:1], 0)
    assert again[0, 0, [0, 1, 2, 5, 6, 7], 0].tolist() == [0, 1, 2, 3, 4, 5]


def test_attention_is_that_of_the_library(causal_folder: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(causal_folder).eval()
    ids = torch.tensor([list(range(5, 30))])
    slots = torch.arange(25).unsqueeze(0)
    cache = RaggedCache(25)
    with torch.inference_mode():
        mask = cache.at(slots, 25)
        ours = model(
            input_ids=ids, attention_mask=mask, position_ids=slots, past_key_values=cache, use_cache=True
        ).logits
        torch.testing.assert_close(ours, model(ids).logits, rtol=1e-4, atol=1e-4)
