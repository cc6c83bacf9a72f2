"""Causal language models in training: their loader, and a classifier that learns to answer a prompt with one word.

The model has adapters and no dropout. The prompts are those of `src/models/prompted_classifier.py`. Only the first
token of each answer counts, in the loss and in the scores.

Limitations: the bundled model is trained on the dequantized weights of its GGUF file, so adapters fit these weights.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import torch

from src.errors import InputError
from src.llm.batching import right_padded, sub_batches
from src.models.base_model import BaseModel
from src.models.evidence_rows import Input
from src.models.prompted_classifier import CLAIM, SYSTEM, PromptLayout, prompt
from src.training.adapters import base_dtype, with_adapters
from src.training.calibration import Floats
from src.training.classifier import Label, weighted_loss
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor

BATCH_ROWS, BATCH_TOKENS = 32, 2048
# Attention for padded batches: there, the fused kernels are slower backwards on a CPU, and on a GPU gave NaN.
PADDED = "eager"
ALONE = "sdpa"  # attention for rows that go through the model one by one, much faster for long ones
MARKS = 12  # the most tokens that a chat template has behind a turn


def load_causal(base: BaseModel, recipe: Recipe, attention: str = PADDED) -> tuple[Any, Any, int]:
    """Load a base model for training; return the model, its tokenizer and the padding token.

    `attention`: transformers' implementation of attention; the default is for padded batches.

    Raises InputError when the base is not a language model.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from src.llm.loading import silence

    silence()
    try:
        tokenizer = AutoTokenizer.from_pretrained(base.folder)
        dtype = getattr(torch, base_dtype(trained=recipe.rank == 0))
        model: Any = AutoModelForCausalLM.from_pretrained(base.folder, dtype=dtype, attn_implementation=attention)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot load the model {base.name}: {str(error).strip().splitlines()[0]}") from None
    if tokenizer.eos_token_id is None:
        raise InputError(f"{base.name} has no token that ends a text")
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0  # dropout halves the speed, and adapters are small enough without it
    pad = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    return with_adapters(model, recipe, classifies=False), tokenizer, pad


class Prompted:
    """Learner on a language model: it answers a prompt with one word per class.

    `layout` is the name of the prompt's layout.
    """

    def __init__(self, base: BaseModel, recipe: Recipe, layout: PromptLayout) -> None:
        """Load the base. Raises InputError when it has no chat template, or two answers begin with the same token."""
        self.model, self.tokenizer, self._pad = load_causal(base, recipe)
        if not self.tokenizer.chat_template:
            raise InputError(f"{base.name} has no chat template")
        self.layout, self._longest = layout.name, recipe.max_length
        self._prompt = partial(prompt, layout=layout)
        self._answers = [ids[0] for ids in self._tokens(layout.answers)]
        if len(set(self._answers)) < len(self._answers):
            raise InputError(f"{base.name}: its tokenizer begins two answers with the same token")

    def rows(self, inputs: Sequence[Input]) -> list[list[int]]:
        """Return the token ids of each input's prompt. If there are too many, the end of the passages is cut."""
        texts = [self._prompt(one) for one in inputs]
        ends = self._tokens([text[text.rindex(CLAIM) :] for text in texts])
        prompts = zip(self._tokens([self._turn(text) for text in texts]), ends, strict=True)
        return [self._cut(row, len(end) + MARKS) for row, end in prompts]

    def loss_of(
        self, rows: Sequence[Sequence[int]], labels: Sequence[Label], weights: Sequence[float]
    ) -> "Callable[[Any, Sequence[int]], Tensor]":
        """Return the loss function of a training.

        It takes a model and indices of rows (from 0), and returns the sum of the rows' losses, each multiplied by its
        weight.
        """

        def loss(model: Any, places: Sequence[int]) -> "Tensor":
            scores = self._scores(model, [rows[place] for place in places])
            return weighted_loss(scores, [labels[place] for place in places], [weights[place] for place in places])

        return loss

    def lengths(self, rows: Sequence[Sequence[int]]) -> list[int]:
        return [len(row) for row in rows]

    def ask(self, model: Any) -> Callable[[Sequence[Input]], Floats]:
        """Return a function that computes logits of inputs, [inputs, answers].

        The function uses the weights that `model` has at the time of the call.
        """
        return lambda inputs: self.logits(model, inputs).double().numpy()

    def logits(self, model: Any, inputs: Sequence[Input]) -> "Tensor":
        """Return the logits of the answers for each input: float32 [inputs, answers] on the CPU."""
        rows = self.rows(inputs)
        scores = torch.empty((len(rows), len(self._answers)))
        with torch.no_grad():
            for part in sub_batches([len(row) for row in rows], BATCH_ROWS, BATCH_TOKENS):
                scores[part] = self._scores(model, [rows[place] for place in part]).cpu()
        return scores

    def _scores(self, model: Any, rows: Sequence[Sequence[int]]) -> "Tensor":
        """Return the logits of the answers' first tokens after each prompt: float32 [rows, answers]."""
        plain = model.get_base_model() if hasattr(model, "get_base_model") else model
        ids, mask = right_padded([list(row) for row in rows], self._pad, plain.device)
        hidden = plain.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        last = hidden[torch.arange(len(rows), device=ids.device), mask.sum(1) - 1]
        with torch.autocast(last.device.type, enabled=False):
            scores: Tensor = last.float() @ plain.get_output_embeddings().weight[self._answers].float().T
        return scores

    def _cut(self, row: list[int], tail: int) -> list[int]:
        """Cut a prompt's token ids to the recipe's `max_length`.

        The last `tail` tokens, the claim and the end of the prompt, are kept; tokens before them are removed.
        """
        if len(row) <= self._longest:
            return row
        room = max(0, self._longest - tail)
        return row[:room] + row[-(self._longest - room) :]

    def _turn(self, text: str) -> str:
        turns = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": text}]
        return str(self.tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True))

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of each text, without adding special tokens: the chat template has written them."""
        ids: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"]
        return ids
