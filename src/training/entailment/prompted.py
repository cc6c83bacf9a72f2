"""A language model that learns to answer a claim and its passages in one word (`src/models/passage_prompt.py`).

The loss is that of the answer's first token among all tokens; scores compare the tokens of the three answers.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch.nn.functional import cross_entropy

from src.errors import InputError
from src.llm.batching import sub_batches
from src.llm.decoding.padding import right_padded
from src.models.base_model import BaseModel
from src.models.evidence_rows import Input
from src.models.passage_prompt import ANSWERS, prompt
from src.training.questions.causal import load_causal
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor

BATCH_ROWS, BATCH_TOKENS = 32, 2048
TAIL = 4  # tokens at a prompt's end that are never cut: they ask for the answer


class Prompted:
    """A language model with adapters, and its tokenizer."""

    def __init__(self, base: BaseModel, recipe: Recipe) -> None:
        """Raises InputError when the base is none that writes, or two answers begin with one token."""
        self.model, self.tokenizer, self._pad = load_causal(base, recipe)
        self._longest = recipe.max_length
        self._answers = [ids[0] for ids in self._tokens(ANSWERS, special=False)]
        if len(set(self._answers)) < len(ANSWERS):
            raise InputError(f"{base.name}: its tokenizer begins two of the answers alike")

    def rows(self, inputs: Sequence[Input]) -> list[list[int]]:
        """Return the tokens of each prompt, the passages' end cut where they are too many."""
        found = self._tokens([prompt(one) for one in inputs], special=True)
        return [row if len(row) <= self._longest else row[: self._longest - TAIL] + row[-TAIL:] for row in found]

    def loss(self, model: Any, rows: Sequence[Sequence[int]], labels: Sequence[int]) -> "Tensor":
        """Return the sum of the losses of some prompts; `labels` are places in ANSWERS."""
        found = _head(model)(self._last(model, rows)).float()
        right = torch.tensor([self._answers[label] for label in labels], device=found.device)
        return cross_entropy(found, right, reduction="sum")

    def logits(self, model: Any, inputs: Sequence[Input]) -> "Tensor":
        """Return float32 [inputs, answers], in the order asked, on the CPU."""
        rows = self.rows(inputs)
        found = torch.empty((len(rows), len(ANSWERS)))
        head = _head(model).weight[self._answers].float()
        with torch.no_grad():
            for part in sub_batches([len(row) for row in rows], BATCH_ROWS, BATCH_TOKENS):
                last = self._last(model, [rows[place] for place in part])
                with torch.autocast(last.device.type, enabled=False):
                    found[part] = (last.float() @ head.T).cpu()
        return found

    def _last(self, model: Any, rows: Sequence[Sequence[int]]) -> "Tensor":
        """The state behind each prompt."""
        ids, mask = right_padded([list(row) for row in rows], self._pad, _plain(model).device)
        hidden = _plain(model).base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
        ends: Tensor = hidden[torch.arange(len(rows), device=ids.device), mask.sum(1) - 1]
        return ends

    def _tokens(self, texts: Sequence[str], *, special: bool) -> list[list[int]]:
        found: list[list[int]] = self.tokenizer(list(texts), add_special_tokens=special, verbose=False)["input_ids"]
        return found


def _plain(model: Any) -> Any:
    return model.get_base_model() if hasattr(model, "get_base_model") else model


def _head(model: Any) -> Any:
    return _plain(model).get_output_embeddings()
