"""The plain layers of a Llama give the logits of transformers, for prompts and for the branches that continue them."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import LlamaForCausalLM

from src.llm.llama_layers import ROOM, Llama, LlamaShape, fits
from src.llm.tensor_file import TensorFile

PROMPTS = ([5, 6, 7, 8, 9, 10], [11], [12, 13, 14])
CONFIG = {
    "model_type": "llama", "rope_theta": 10000.0, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 9,
    "intermediate_size": 8, "num_hidden_layers": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def llama(causal_folder: Path) -> Llama:
    config = json.loads((causal_folder / "config.json").read_text())
    assert fits(config)
    return Llama(TensorFile(causal_folder / "model.safetensors").weights(), LlamaShape.of(config))


@pytest.fixture(scope="module")
def theirs(causal_folder: Path) -> Any:
    return LlamaForCausalLM.from_pretrained(causal_folder).eval()


def last_logits(theirs: Any, tokens: list[int]) -> torch.Tensor:
    logits: torch.Tensor = theirs(torch.tensor([tokens])).logits[0, -1]
    return logits


def test_logits_after_prompts_and_branches_are_those_of_transformers(llama: Llama, theirs: Any) -> None:
    answers: list[list[int]] = [[] for _ in range(6)]
    with torch.inference_mode():
        branches, scores = llama.read(PROMPTS, width=2)
        for prompt, row in zip(PROMPTS, scores, strict=True):
            torch.testing.assert_close(row, last_logits(theirs, prompt), atol=1e-4, rtol=1e-4)
        for step in range(3):
            for number, tokens in enumerate(answers):
                tokens.append(20 + 7 * step + number)
            rows = llama.step(branches, [tokens[-1] for tokens in answers])
            for number, (tokens, row) in enumerate(zip(answers, rows, strict=True)):
                expected = last_logits(theirs, PROMPTS[number // 2] + tokens)
                torch.testing.assert_close(row, expected, atol=1e-4, rtol=1e-4)


def test_branches_that_are_kept_go_on(llama: Llama, theirs: Any) -> None:
    with torch.inference_mode():
        branches, _ = llama.read(PROMPTS, width=2)
        llama.step(branches, [30, 31, 32, 33, 34, 35])
        branches.keep([2, 0], [5, 0], width=1)
        rows = llama.step(branches, [40, 41])
        for row, tokens in zip(rows, ([*PROMPTS[2], 35, 40], [*PROMPTS[0], 30, 41]), strict=True):
            torch.testing.assert_close(row, last_logits(theirs, tokens), atol=1e-4, rtol=1e-4)


def test_branches_grow_beyond_the_room_that_they_begin_with(llama: Llama, theirs: Any) -> None:
    told = [20 + number for number in range(ROOM + 2)]
    with torch.inference_mode():
        branches, _ = llama.read(PROMPTS[:1], width=1)
        rows = [llama.step(branches, [token])[0] for token in told]
        torch.testing.assert_close(rows[-1], last_logits(theirs, PROMPTS[0] + told), atol=1e-4, rtol=1e-4)


def test_other_models_do_not_fit() -> None:
    assert fits(CONFIG)
    for other in ({"model_type": "qwen2"}, {"hidden_act": "gelu"}, {"attention_bias": True}, {"mlp_bias": True}):
        assert not fits(CONFIG | other)
    assert fits(CONFIG | {"head_dim": 16})
    assert not fits(CONFIG | {"head_dim": 32})
    for scaling in ({"rope_type": "llama3"}, {"type": "linear"}):
        assert not fits(CONFIG | {"rope_scaling": scaling})
    assert not fits(CONFIG | {"rope_parameters": {"rope_type": "yarn", "rope_theta": 1.0}})
    assert not fits({"model_type": "llama"})
