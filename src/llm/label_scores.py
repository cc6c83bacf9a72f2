"""Scoring of a closed set by whole choices: log P(choice | prompt), summed over the choice's tokens.

The prompt's forward pass is shared by all its choices. Its last logits score the first token of every choice, and its
key-value cache is repeated for the remaining tokens. A choice is tokenized separately and unchanged: one that should
follow a space begins with a space. The end-of-sequence token is not scored. The last layer is computed in float32,
because 16-bit logits are so coarse that choices would tie.

Limitations: scores are not normalized by length, nor by the probability of a choice without the prompt.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from inspect import signature
from typing import Any

import torch

from src.llm.batching import left_padded, right_padded

VOCABULARY_PART = 16_384  # rows of the output layer


def causal_scores(model: Any, prompts: list[list[int]], choices: list[list[list[int]]], pad: int) -> list[list[float]]:
    """Score the choices of each prompt with a decoder-only model; return natural-log scores as [prompt][choice].

    `prompts` are token ids, as are the choices: [prompt][choice][token]. Every prompt has the same number of choices.
    """
    ids, mask = left_padded(prompts, pad, model.device)
    takes_positions = "position_ids" in signature(model.forward).parameters
    positions = {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)} if takes_positions else {}
    read = model(input_ids=ids, attention_mask=mask, use_cache=True, logits_to_keep=1, **positions)
    first = log_probabilities(read.logits[:, -1])
    scores = [[first[row, tokens[0]].item() for tokens in options] for row, options in enumerate(choices)]
    if all(len(tokens) == 1 for options in choices for tokens in options):
        return scores
    count = len(choices[0])
    tails, tail_mask = right_padded([tokens[:-1] for options in choices for tokens in options], pad, model.device)
    read.past_key_values.batch_repeat_interleave(count)
    whole_mask = torch.cat([mask.repeat_interleave(count, 0), tail_mask], 1)
    if takes_positions:
        positions = {"position_ids": (whole_mask.cumsum(1) - 1)[:, -tails.shape[1] :]}
    cache = read.past_key_values
    more = model(input_ids=tails, attention_mask=whole_mask, past_key_values=cache, use_cache=True, **positions)
    return _add_tails(scores, choices, log_probabilities(more.logits), skip=1)


def seq2seq_scores(model: Any, prompts: list[list[int]], choices: list[list[list[int]]], pad: int) -> list[list[float]]:
    """Score the choices of each prompt with an encoder-decoder; arguments and result are those of `causal_scores`."""
    ids, mask = right_padded(prompts, pad, model.device)
    count = len(choices[0])
    encoded = model.get_encoder()(input_ids=ids, attention_mask=mask)
    encoded.last_hidden_state = encoded.last_hidden_state.repeat_interleave(count, 0)
    start = model.generation_config.decoder_start_token_id
    rows = [[start, *tokens[:-1]] for options in choices for tokens in options]
    decoder_ids, _ = right_padded(rows, pad, model.device)
    read = model(
        encoder_outputs=encoded, attention_mask=mask.repeat_interleave(count, 0), decoder_input_ids=decoder_ids
    )
    return _add_tails([[0.0] * count for _ in choices], choices, log_probabilities(read.logits), skip=0)


class Float32Head(torch.nn.Module):
    """Output layer with 16-bit weights that is computed in float32, one part of the vocabulary at a time."""

    def __init__(self, head: Any) -> None:
        super().__init__()
        self.head = head

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        wide = hidden.float()
        logits = torch.cat([wide @ part.float().T for part in self.head.weight.split(VOCABULARY_PART)], -1)
        bias = getattr(self.head, "bias", None)
        return logits if bias is None else logits + bias.float()


@contextmanager
def exact_head(model: Any) -> Iterator[None]:
    """Compute the model's output layer in float32 inside the `with` block, unless accelerate manages the layer."""
    head = model.get_output_embeddings()
    if head.weight.dtype == torch.float32 or hasattr(head, "_hf_hook"):
        yield
        return
    model.set_output_embeddings(Float32Head(head))
    try:
        yield
    finally:
        model.set_output_embeddings(head)


def log_probabilities(logits: torch.Tensor) -> torch.Tensor:
    """Return the log softmax of the logits over the vocabulary, in float32 for every number format of the model."""
    return logits.float().log_softmax(-1)


def _add_tails(
    scores: list[list[float]], choices: Sequence[Sequence[list[int]]], logs: torch.Tensor, skip: int
) -> list[list[float]]:
    """Add to each score the log-probabilities of its choice's tokens after the first `skip`; return the scores.

    `logs` has one row per choice, [prompts * choices, tokens, vocabulary].
    """
    count = len(choices[0])
    for row, options in enumerate(choices):
        for index, tokens in enumerate(options):
            line = logs[row * count + index]
            scores[row][index] += sum(line[step, token].item() for step, token in enumerate(tokens[skip:]))
    return scores
