"""Scores of a closed set, compared with a sum of log-softmax computed row by row."""

from pathlib import Path

import pytest
import torch

from src.errors import ModelError
from src.llm import Options, Request, get_llm
from src.llm.transformers_backend import TransformersModel
from tests.tiny_models import sentences

PROMPTS = [text[: 15 + 5 * number] for number, text in enumerate(sentences()[::40])]
CHOICES = [(" true", " false"), ("true", " the river rose by 12 percent", "a"), ("x", "y")]


def by_hand(model: TransformersModel, prompt: str, choice: str) -> float:
    ids, tokens = model._tokenize([prompt], special=True)[0], model._tokenize([choice], special=False)[0]
    with torch.inference_mode():
        if model._seq2seq:
            logits = model._model(torch.tensor([ids]), decoder_input_ids=torch.tensor([[0, *tokens[:-1]]])).logits[0]
        else:
            logits = model._model(torch.tensor([ids + tokens])).logits[0, len(ids) - 1 :]
    return float(sum(logits[step].log_softmax(-1)[token].item() for step, token in enumerate(tokens)))


@pytest.mark.parametrize("kind", ["causal", "seq2seq"])
@pytest.mark.parametrize("choices", CHOICES)
def test_scores_are_sums_of_log_softmax(kind: str, choices: tuple[str, ...], request: pytest.FixtureRequest) -> None:
    model: TransformersModel = request.getfixturevalue(kind)
    replies = model.complete([Request(prompt, choices=choices) for prompt in PROMPTS])
    for prompt, reply in zip(PROMPTS, replies, strict=True):
        expected = [by_hand(model, prompt, choice) for choice in choices]
        assert reply.scores == pytest.approx(expected, abs=1e-3)
        assert reply.text == choices[expected.index(max(expected))]
        assert (reply.method, reply.stopped, reply.new_tokens) == ("label_tokens", "choices", 0)


def test_sixteen_bits_leave_no_ties(causal_folder: Path) -> None:
    """In bfloat16 the model's own logits are coarse; the scores must not be."""
    model = get_llm(str(causal_folder), Options(dtype="bfloat16", device="cpu"))
    assert isinstance(model, TransformersModel)
    head = model._model.get_output_embeddings()
    (reply,) = model.complete([Request(PROMPTS[3], choices=tuple("abcdefghij"))])
    steps = [(score - reply.scores[0]) * 64 for score in reply.scores[1:]]
    assert not any(step.is_integer() for step in steps)
    assert model._model.get_output_embeddings() is head


def test_choice_without_tokens_is_an_error(causal: TransformersModel) -> None:
    with pytest.raises(ModelError, match="has no tokens"):
        causal.complete([Request("Is it?", choices=("yes", ""))])
