"""A BERT text classifier: the architecture of both published checkpoints.

Texts are sorted by length and run in batches with a limit of tokens, which keeps memory small. Results are in the order
of the texts. The other texts of a batch change the logits of a text only by rounding.

Limitations: no training. A text is one segment, never a pair.
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
    """A loaded classifier in evaluation mode. `info` has its source, device and number format."""

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
        """Return float32 [len(texts), classes] on the CPU, in the order of the texts.

        A text of more than `max_length` tokens is cut.
        """
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
    """Return the classifier of a .ckpt or a folder.

    The default is float32, on a GPU where there is one. Raises InputError when the file is damaged, carries code, or is
    of another architecture or number of classes, or when the `device` does not exist.
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
