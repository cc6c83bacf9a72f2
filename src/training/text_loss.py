"""Loss of a causal language model on the texts that it learns to write after its prompts.

Limitations: the head must be a linear map of the last hidden state: a model's cap or scale of the logits is not
applied.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from src.llm.batching import sub_batches

if TYPE_CHECKING:
    from torch import Tensor

BATCH_ROWS, BATCH_TOKENS = 64, 4096


class Row(NamedTuple):
    """Training row: the token ids of a prompt and of the text to write.

    The last `learned` tokens, the text and the end-of-text token, count in the loss.
    """

    tokens: list[int]
    learned: int


def text_loss(model: Any, rows: Sequence[Row], pad: int) -> "Tensor":
    """Return the sum of the losses of all learned tokens in a batch of rows; `pad` is the padding token.

    The output layer, a large part of a small model, is computed only where it predicts a learned token.
    """
    import torch
    from torch.nn.functional import cross_entropy

    from src.llm.batching import right_padded

    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    ids, mask = right_padded([row.tokens for row in rows], pad, plain.device)
    hidden = plain.base_model(input_ids=ids, attention_mask=mask, use_cache=False).last_hidden_state
    ends = [(number, len(row.tokens), row.learned) for number, row in enumerate(rows)]
    learned = [(number, place) for number, end, last in ends for place in range(end - last, end)]
    which, places = torch.tensor(learned, device=ids.device).T
    logits = plain.get_output_embeddings()(hidden[which, places - 1])  # two dimensions: three are many times slower
    return cross_entropy(logits.float(), ids[which, places], reduction="sum")


def log_probability(model: Any, rows: Sequence[Row], pad: int, batch_rows: int = BATCH_ROWS) -> float:
    """Return the mean log-probability of the rows' learned tokens. The best value is 0.

    `batch_rows`: rows that go through the model at once, at most.
    """
    batches = sub_batches([len(row.tokens) for row in rows], batch_rows, BATCH_TOKENS)
    total = sum(float(text_loss(model, [rows[place] for place in batch], pad)) for batch in batches)
    return -total / sum(row.learned for row in rows)
