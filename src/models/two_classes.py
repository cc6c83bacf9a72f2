"""Adapters that make other models classifiers of two classes, true and false.

`TwoClasses` joins all classes of a classifier except the one that means true:

    p(false) = sum of p(class) over the others,   so its logit is their logsumexp

The probabilities of a classifier of two classes do not change. `TwoWords` is an encoder-decoder that answers `true` or
`false`. It is trained to write the whole word; a score is the logit of a word's first token, as in LisT5 (Jiang et al.
2021) and monoT5 (Nogueira et al. 2020).

Limitations: no weights are added. The inner model must be ready for training, with or without adapters.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import nn

if TYPE_CHECKING:
    from torch import Tensor


class _OnModel(nn.Module):
    """Module that answers for a model: its `config` and `device` are the model's."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    @property
    def config(self) -> Any:
        return self.model.config

    @property
    def device(self) -> Any:
        return self.model.device


class TwoClasses(_OnModel):
    """Classifier of true and false on a classifier with more classes. `true` is the index of the class for true."""

    def __init__(self, model: Any, true: int) -> None:
        super().__init__(model)
        self._true = true

    def losses(self, labels: "Tensor", **inputs: "Tensor") -> "Tensor":
        """Return the cross-entropy loss of each row; label 0 is true, 1 false."""
        return nn.functional.cross_entropy(self(**inputs), labels, reduction="none")

    def forward(self, **inputs: "Tensor") -> "Tensor":
        """Return float32 logits [rows, 2]: true, false."""
        import torch

        plain = self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model
        output = plain(**inputs)
        logits: Tensor = getattr(output, "logits", output).float()  # transformers' classifiers return a record
        others = [index for index in range(logits.shape[-1]) if index != self._true]
        return torch.stack([logits[:, self._true], logits[:, others].logsumexp(-1)], -1)


IGNORED = -100  # label of a padded position of the answer


class TwoWords(_OnModel):
    """Classifier of true and false on an encoder-decoder that writes one of two words.

    `words`: the token ids of `true` and of `false`, each followed by the end-of-sequence token.
    """

    def __init__(self, model: Any, words: Sequence[Sequence[int]]) -> None:
        super().__init__(model)
        self._words = words

    def losses(self, labels: "Tensor", **inputs: "Tensor") -> "Tensor":
        """Return the cross-entropy of each row's word, averaged over the word's tokens; label 0 is true, 1 false."""
        import torch
        from torch.nn.functional import cross_entropy
        from torch.nn.utils.rnn import pad_sequence

        words = [torch.tensor(self._words[int(label)], device=labels.device) for label in labels]
        wanted = pad_sequence(words, batch_first=True, padding_value=IGNORED)
        before = torch.full_like(wanted[:, :1], self.config.decoder_start_token_id)
        decoder = torch.cat([before, wanted[:, :-1].masked_fill(wanted[:, :-1] == IGNORED, 0)], 1)
        losses = cross_entropy(self._logits(decoder, inputs).transpose(1, 2), wanted, ignore_index=IGNORED,
                               reduction="none")  # fmt: skip
        means: Tensor = losses.sum(1) / (wanted != IGNORED).sum(1)
        return means

    def forward(self, **inputs: "Tensor") -> "Tensor":
        """Return float32 logits [rows, 2]: true, false."""
        import torch

        rows = len(inputs["input_ids"])
        start = torch.full((rows, 1), self.config.decoder_start_token_id, device=self.device)
        return self._logits(start, inputs)[:, 0, [word[0] for word in self._words]]

    def _logits(self, decoder: "Tensor", inputs: "dict[str, Tensor]") -> "Tensor":
        """Return the decoder's float32 logits, [rows, tokens, vocabulary]."""
        plain = self.model.get_base_model() if hasattr(self.model, "get_base_model") else self.model
        logits: Tensor = plain(**inputs, decoder_input_ids=decoder, use_cache=False).logits
        return logits.float()
