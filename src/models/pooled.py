"""A classifier on the mean of a model's token vectors, as a class of transformers for use with peft.

It serves training, and models that `src/models/bert_layers.py` does not support. all-MiniLM-L6-v2
and all-mpnet-base-v2 were trained with that mean (Reimers and Gurevych 2019), so it suits them. Dropout is off: it
halves the speed on a CPU, and adapters are small enough without it.

Limitations: no tokenization and no loss; `src/models/evidence_rows.py` and `src/training/classifier.py` have them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from huggingface_hub.errors import StrictDataclassError
from torch import nn
from transformers import (
    AutoConfig,
    AutoModel,
    AutoModelForSeq2SeqLM,
    AutoModelForSequenceClassification,
    PretrainedConfig,
    PreTrainedModel,
)

from src.errors import InputError
from src.llm.loading import first_line
from src.models.bert_layers import scaled
from src.models.evidence_rows import Row

if TYPE_CHECKING:
    from torch import Tensor


class PooledClassifier(PreTrainedModel):
    """Classifier on the mean of the encoder's token vectors.

    `encoder`: a base model without a head.
    `score`: a new linear head in float32.
    """

    base_model_prefix = "encoder"

    def __init__(self, config: PretrainedConfig, encoder: Any, classes: int) -> None:
        super().__init__(config)
        self.encoder = encoder
        self.score = nn.Linear(config.hidden_size, classes)
        nn.init.normal_(self.score.weight, std=0.02)
        nn.init.zeros_(self.score.bias)

    def get_input_embeddings(self) -> nn.Module:
        embeddings: nn.Module = self.encoder.get_input_embeddings()
        return embeddings

    def forward(
        self, input_ids: "Tensor", attention_mask: "Tensor", token_type_ids: "Tensor | None" = None,
        global_attention_mask: "Tensor | None" = None, **_: Any,
    ) -> "Tensor":  # fmt: skip
        """Return float32 logits [rows, classes]. peft passes more arguments, which are ignored."""
        import torch

        types = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
        if global_attention_mask is not None:
            types["global_attention_mask"] = global_attention_mask
        vectors = self.encoder(input_ids=input_ids, attention_mask=attention_mask, **types).last_hidden_state.float()
        mask = attention_mask[..., None].float()
        mean = (vectors * mask).sum(1) / mask.sum(1)
        with torch.autocast(mean.device.type, enabled=False):
            logits: Tensor = self.score(scaled(mean))
        return logits

    def token_logits(
        self, input_ids: "Tensor", attention_mask: "Tensor", token_type_ids: "Tensor | None" = None
    ) -> "Tensor":
        """Return float32 logits [rows, tokens, classes]: the head's output for each token, not for their mean."""
        import torch

        types = {} if token_type_ids is None else {"token_type_ids": token_type_ids}
        vectors = self.encoder(input_ids=input_ids, attention_mask=attention_mask, **types).last_hidden_state.float()
        with torch.autocast(vectors.device.type, enabled=False):
            logits: Tensor = self.score(scaled(vectors))
        return logits

    def save_pretrained(self, save_directory: Any, *_: Any, **__: Any) -> None:
        """Write the trainable weights only; the word embeddings, for example, stay in the base model."""
        from safetensors.torch import save_file

        folder = Path(save_directory)
        folder.mkdir(parents=True, exist_ok=True)
        weights = {name: weight.detach() for name, weight in self.named_parameters() if weight.requires_grad}
        save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})


def padded(rows: Sequence[Row], config: Any, device: str) -> "dict[str, Tensor]":
    """Return the arguments of `PooledClassifier.forward` for a batch of rows, padded to the longest.

    In a Longformer, the first token, the claim and the separators get global attention (MULTIVERS, Wadden et al. 2022).
    """
    import torch

    ids = torch.full((len(rows), max(len(row.ids) for row in rows)), config.pad_token_id or 0)
    mask, types = torch.zeros_like(ids), torch.zeros_like(ids)
    for index, row in enumerate(rows):
        ids[index, : len(row.ids)] = torch.tensor(row.ids)
        mask[index, : len(row.ids)] = 1
        types[index, row.second : len(row.ids)] = 1
    arguments = {"input_ids": ids, "attention_mask": mask}
    if getattr(config, "type_vocab_size", 0) > 1:
        arguments["token_type_ids"] = types
    if config.model_type == "longformer":
        arguments["global_attention_mask"] = _seen_from(rows, ids)
    return {name: tensor.to(device) for name, tensor in arguments.items()}


def _seen_from(rows: Sequence[Row], ids: "Tensor") -> "Tensor":
    """Return Longformer's mask of global attention, in the shape of `ids`.

    It is 1 for the first token, the claim and the separators. Such a token attends to all tokens, and all attend to it.
    """
    import torch

    mask = torch.zeros_like(ids)
    for index, row in enumerate(rows):
        length = len(row.ids)
        mask[index, :length][row.claim] = 1
        mask[index, :length] |= (ids[index, :length] == row.ids[-1]).long()
        mask[index, 0] = 1
    return mask


def new_classifier(
    folder: Path, classes: int, dtype: str = "float32", attention: str | None = None
) -> PooledClassifier:
    """Load the model of a folder in the number format `dtype`, with a new head of random weights.

    `attention` names transformers' implementation of attention, such as `sdpa`; None: its default. Raises InputError
    when the model cannot be loaded.
    """
    config = read_config(folder)
    pooler = {"add_pooling_layer": False} if config.model_type in ("bert", "longformer", "mpnet", "roberta") else {}
    return PooledClassifier(config, _loaded(AutoModel, folder, config, dtype, attention, **pooler), classes)


def classifier_of(folder: Path, dtype: str, attention: str | None = None) -> Any:
    """Load the transformers classifier of a folder, head included. Raises InputError when it cannot be loaded."""
    return _loaded(AutoModelForSequenceClassification, folder, read_config(folder), dtype, attention)


def seq2seq_of(folder: Path, dtype: str, attention: str | None = None) -> Any:
    """Load the encoder-decoder of a folder. Raises InputError when it cannot be loaded."""
    return _loaded(AutoModelForSeq2SeqLM, folder, read_config(folder), dtype, attention)


def read_config(folder: Path) -> Any:
    """Read a model's config, with every kind of dropout set to 0. Raises InputError when it cannot be read."""
    try:
        config = AutoConfig.from_pretrained(folder, trust_remote_code=False)
    except (OSError, ValueError, StrictDataclassError) as error:
        raise InputError(f"cannot be loaded: {first_line(error)}", path=folder / "config.json") from None
    for name, value in list(vars(config).items()):
        if "drop" in name and isinstance(value, float):
            setattr(config, name, 0.0)
    return config


def _loaded(kind: Any, folder: Path, config: Any, dtype: str, attention: str | None, **more: bool) -> Any:
    import torch

    options = {"dtype": getattr(torch, dtype), "attn_implementation": attention}
    try:
        return kind.from_pretrained(folder, config=config, **options, **more)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot be loaded: {first_line(error)}", path=folder) from None
