"""Models of different architectures, beside transformers' own `generate`.

Position encodings: BLOOM (ALiBi; the published model), GPT-2 (learned), OPT (offset), Falcon (ALiBi by a mask).
Attention: Gemma 3 (a window of six tokens in every second layer).
"""

from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import (
    AutoTokenizer,
    BloomConfig,
    BloomForCausalLM,
    FalconConfig,
    FalconForCausalLM,
    Gemma3ForCausalLM,
    Gemma3TextConfig,
    GPT2Config,
    GPT2LMHeadModel,
    OPTConfig,
    OPTForCausalLM,
)

from src.llm import Request, get_llm
from tests.llm.conftest import FLOAT32
from tests.tiny_models import sentences

PROMPTS = [text[: 20 + 6 * number] for number, text in enumerate(sentences()[::60])]
SMALL: dict[str, Any] = {"vocab_size": 400, "pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 1}


def make(name: str) -> Any:
    torch.manual_seed(3)
    if name == "bloom":
        return BloomForCausalLM(BloomConfig(hidden_size=32, n_layer=2, n_head=4, initializer_range=0.4, **SMALL))
    if name == "gpt2":
        return GPT2LMHeadModel(GPT2Config(n_embd=32, n_layer=2, n_head=4, initializer_range=0.4, **SMALL))
    if name == "falcon":
        falcon = FalconConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, alibi=True, **SMALL)
        return FalconForCausalLM(falcon)
    if name == "gemma3":
        gemma = Gemma3TextConfig(
            hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
            head_dim=8, sliding_window=6, layer_types=["sliding_attention", "full_attention"], initializer_range=0.4,
            **SMALL,
        )  # fmt: skip
        return Gemma3ForCausalLM(gemma)
    shape: dict[str, Any] = {"hidden_size": 32, "word_embed_proj_dim": 32, "ffn_dim": 64, "num_hidden_layers": 2}
    return OPTForCausalLM(OPTConfig(num_attention_heads=4, init_std=0.4, **shape, **SMALL))


@pytest.mark.parametrize("name", ["bloom", "gpt2", "opt"])
def test_batch_equals_one_by_one(name: str, causal_folder: Path, tmp_path: Path) -> None:
    make(name).save_pretrained(tmp_path)
    AutoTokenizer.from_pretrained(causal_folder).save_pretrained(tmp_path)
    model = get_llm(str(tmp_path), FLOAT32)
    requests = [Request(prompt, max_new_tokens=8) for prompt in PROMPTS]
    assert model.complete(requests) == [model.complete([single])[0] for single in requests]
    beams = [Request(prompt, max_length=30, num_beams=2, no_repeat_ngram_size=2) for prompt in PROMPTS[:3]]
    assert model.complete(beams) == [model.complete([single])[0] for single in beams]
    scored = [Request(prompt, choices=(" true", " false", " the river rose")) for prompt in PROMPTS]
    for together, single in zip(model.complete(scored), scored, strict=True):
        (alone,) = model.complete([single])
        assert together.scores == pytest.approx(alone.scores, abs=1e-3)
        assert together.scores == pytest.approx(_by_hand(model, single), abs=1e-3)


@pytest.mark.parametrize("name", ["bloom", "gpt2", "opt", "falcon", "gemma3"])
def test_a_batch_equals_plain_generate(name: str, causal_folder: Path, tmp_path: Path) -> None:
    raw = make(name).eval()
    raw.save_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(causal_folder)
    tokenizer.save_pretrained(tmp_path)
    replies = get_llm(str(tmp_path), FLOAT32).complete([Request(prompt, max_new_tokens=12) for prompt in PROMPTS])
    for prompt, reply in zip(PROMPTS, replies, strict=True):
        ids = tokenizer(prompt, return_tensors="pt").input_ids
        out = raw.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=12, do_sample=False)
        assert reply.text == tokenizer.decode(out[0, ids.shape[1] :], skip_special_tokens=True)


def _by_hand(model: Any, request: Request) -> list[float]:
    ids, scores = model._tokenize([request.prompt], special=True)[0], []
    for tokens in model._tokenize(request.choices, special=False):
        with torch.inference_mode():
            logs = model._model(torch.tensor([ids + tokens])).logits[0, len(ids) - 1 :].log_softmax(-1)
        scores.append(sum(logs[step, token].item() for step, token in enumerate(tokens)))
    return scores
