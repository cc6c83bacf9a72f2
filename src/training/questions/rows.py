"""The examples of a question writer as tokens, and its loss over the question's tokens alone.

The head, which is a third of a small model, is computed only at the positions of the question's tokens.

Limitations: the head is a linear map of the last hidden state. Other operations of a model's head (a cap on its logits,
a scale) are not applied in training.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.nn.functional import cross_entropy

from src.llm.batching import right_padded
from src.reranking.questions.prompt import claim_evidence_prompt, claim_evidence_target, fit_prompt, write_prompt
from src.training.questions.examples import QuestionExample

if TYPE_CHECKING:
    from torch import Tensor


class Row(NamedTuple):
    """The tokens of prompt and question. The last `learned` tokens are the question and the end of the text."""

    tokens: list[int]
    learned: int


class Layout(NamedTuple):
    """The layout of the prompt: with the claim, or without it, as published."""

    shows_claim: bool

    def prompt(self, example: QuestionExample) -> str:
        if self.shows_claim:
            return claim_evidence_prompt(example.claim, example.sentence)
        return write_prompt([], example.sentence).rstrip(" ")


def rows_of(examples: Sequence[QuestionExample], layout: Layout, tokenizer: Any, max_length: int) -> list[Row]:
    """Return a row for each example. If it is too long, the end of the sentence is cut."""

    def tokens(texts: Sequence[str], *, special: bool) -> list[list[int]]:
        ids: list[list[int]] = tokenizer(list(texts), add_special_tokens=special, verbose=False)["input_ids"]
        return ids

    def count(texts: Sequence[str]) -> list[int]:
        return [len(ids) for ids in tokens(texts, special=True)]

    prompts = tokens([layout.prompt(example) for example in examples], special=True)
    targets = tokens([claim_evidence_target(example.question) for example in examples], special=False)
    found = []
    for example, prompt, target in zip(examples, prompts, targets, strict=True):
        learned = [*target, tokenizer.eos_token_id][: max_length // 2]
        room = max_length - len(learned)
        if len(prompt) > room:
            claim = example.claim if layout.shows_claim else None
            fitted = fit_prompt([], example.sentence, count, room, claim)
            prompt = tokens([fitted.text.rstrip(" ")], special=True)[0][-room:]
        found.append(Row([*prompt, *learned], len(learned)))
    return found


def question_loss(model: Any, rows: Sequence[Row], pad: int) -> "Tensor":
    """Return the sum of the losses of all learned tokens."""
    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    ids, mask = right_padded([row.tokens for row in rows], pad, plain.device)
    hidden = plain.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
    ends = [(number, len(row.tokens), row.learned) for number, row in enumerate(rows)]
    learned = [(number, place) for number, end, last in ends for place in range(end - last, end)]
    which, places = torch.tensor(learned, device=ids.device).T
    logits = plain.get_output_embeddings()(hidden[which, places - 1])  # two dimensions: three are many times slower
    return cross_entropy(logits.float(), ids[which, places], reduction="sum")
