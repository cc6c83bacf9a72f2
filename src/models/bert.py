"""A BERT that puts a text into one of a few classes: the architecture of both published checkpoints.

Texts are sorted by length and run in batches bounded in tokens, so that memory stays small; the order asked is the
order answered, and what stands in a batch beside a text changes its logits by rounding only.

But: one text is one segment, no pairs; no training.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.llm.batching import sub_batches
from src.llm.protocol import ModelInfo
from src.models.bert_files import open_bert, weights_file
from src.store import sha256

if TYPE_CHECKING:
    from torch import Tensor

BATCH_ROWS = 32
BATCH_TOKENS = 4096  # padded tokens of one batch: 12 heads over 8 texts of 512 tokens hold 100 MB of attention


class BertClassifier:
    """A loaded classifier in evaluation mode. `info` says where it came from and what it computes in."""

    def __init__(self, model: Any, tokenizer: Any, max_length: int, source: Path) -> None:
        self._model, self._tokenizer, self._max_length = model, tokenizer, max_length
        self.info = ModelInfo(
            spec=str(source),
            engine="transformers",
            name=source.name,
            sha256=sha256(weights_file(source)),
            context=max_length,
            deterministic=model.device.type == "cpu",
            details={"dtype": str(model.dtype).removeprefix("torch."), "device": model.device.type},
        )

    def logits(self, texts: Sequence[str]) -> "Tensor":
        """float32 [len(texts), classes] on the CPU, in the order asked. A longer text is cut at `max_length` tokens."""
        import torch

        if not texts:
            return torch.zeros((0, self._model.config.num_labels))
        ids = self._tokenizer(list(texts), truncation=True, max_length=self._max_length)["input_ids"]
        found = torch.empty((len(texts), self._model.config.num_labels))
        with torch.inference_mode():
            for places in sub_batches([len(row) for row in ids], BATCH_ROWS, BATCH_TOKENS):
                rows = self._tokenizer.pad({"input_ids": [ids[place] for place in places]}, return_tensors="pt")
                found[places] = self._model(**rows.to(self._model.device)).logits.float().cpu()
        return found


def load_bert(
    source: Path, num_labels: int, max_length: int, dtype: str | None = None, device: str | None = None
) -> BertClassifier:
    """From a .ckpt or a folder, on a GPU where there is one. In float32 on that, unless others are named.

    Raises InputError when the file is damaged, carries code, or is of another architecture or number of classes, or
    when the `device` is not here.
    """
    import torch
    from transformers.utils import logging

    from src.llm.loading import find_device

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    model, tokenizer = open_bert(source)
    if model.config.num_labels != num_labels:
        raise InputError(f"has {model.config.num_labels} classes, {num_labels} are needed", path=source)
    device = find_device(device)
    numbers = getattr(torch, dtype or "float32")
    return BertClassifier(model.to(device=device, dtype=numbers).eval(), tokenizer, max_length, source)
