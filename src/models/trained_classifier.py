"""Loader of classifiers trained with `src/training`: a base model with a LoRA (or whole weights) and a head.

The LoRA is merged when it is loaded. BERT models, such as the bundled MiniLM, and MPNet models run as plain tensor
operations and do not need transformers; others run in transformers. A batch holds inputs of equal length, so nothing is
padded. The other inputs of a batch change nothing in bfloat16, and only rounding in float32.

Limitations: the meaning of the classes is defined by the models in `reranker.py`, `veracity.py` and the like.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.llm.adapter import check_base, merged, read_adapter
from src.llm.loading import computes_bfloat16, find_device
from src.llm.protocol import ModelInfo
from src.llm.weights import hash_of
from src.models.base_model import BaseModel, find_base
from src.models.bert_layers import Bert, Linear, MPNet, fits, fits_mpnet, read_bert, scaled
from src.models.encoder import equal_lengths
from src.models.evidence_rows import LAYOUTS, Input, Row, RowMaker
from src.models.trained import TRAINED, Trained, read_trained
from src.store import read_json

if TYPE_CHECKING:
    from torch import Tensor

BATCH_TOKENS = 1024
WHOLE = "model.safetensors"  # the weights of a folder that holds no LoRA
ENCODER, HEAD = "encoder.", "score."  # prefixes of weight names: of the base model and of the head

Layers = type[Bert] | type[MPNet]
Forward = Callable[[Sequence[Row], bool], "Tensor"]  # rows of one length to logits; if True, of each word piece


class TrainedClassifier:
    """A loaded classifier that was trained here. `trained` has its classes, temperature and biases."""

    def __init__(self, forward: Forward, maker: RowMaker, trained: Trained, info: ModelInfo) -> None:
        self._forward, self._maker, self.trained, self.info = forward, maker, trained, info

    def token_logits(self, inputs: Sequence[Input]) -> "list[Tensor]":
        """Return the logits of the first segment's tokens for each input: float32 [tokens, classes] on the CPU."""
        import torch

        rows = self._maker.rows(inputs)
        logits: list[Tensor] = [torch.empty(0)] * len(rows)
        with torch.inference_mode():
            for batch in equal_lengths([len(row.ids) for row in rows], BATCH_TOKENS):
                for index, row_logits in zip(batch, self._forward([rows[at] for at in batch], True), strict=True):
                    logits[index] = row_logits[1 : rows[index].second - 1].float().cpu()
        return logits

    def offsets(self, texts: Sequence[str]) -> list[list[tuple[int, int]]]:
        """Return the start and end, in characters, of each token of each text."""
        return self._maker.offsets(texts)

    def logits(self, inputs: Sequence[Input]) -> "Tensor":
        """Return each input's logits: float32 [inputs, classes] on the CPU."""
        import torch

        rows = self._maker.rows(inputs)
        logits = torch.empty((len(rows), len(self.trained.labels)))
        with torch.inference_mode():
            for batch in equal_lengths([len(row.ids) for row in rows], BATCH_TOKENS):
                logits[batch] = self._forward([rows[index] for index in batch], False).float().cpu()
        return logits


def load_trained(
    folder: Path,
    task: str,
    dtype: str | None = None,
    device: str | None = None,
    find: Callable[[str], BaseModel] = find_base,
) -> TrainedClassifier:
    """Load the trained classifier of a folder.

    The default device is a GPU if there is one. The default number format is bfloat16 where the device computes in it,
    else float32. `find` finds the base model by its name. It reads the whole base to hash it, so callers that load
    several runs on one base pass a cached function.

    Raises InputError when the folder is damaged, of another task, or of a base, layout or `device` that is not here.
    """
    trained = read_trained(folder, task)
    if trained.layout not in LAYOUTS:
        message = f"its inputs are laid out as {trained.layout}, known are {', '.join(LAYOUTS)}"
        raise InputError(message, path=folder / TRAINED, field="layout")
    base = find(trained.base)
    check_base(folder, trained, base.sha256)
    device = find_device(device)
    dtype = dtype or ("bfloat16" if computes_bfloat16(device) else "float32")
    layers = _plain_layers(base.folder)
    make = partial(_in_plain_layers, layers) if layers else _in_transformers
    forward = make(base.folder, folder, len(trained.labels), dtype, device)
    info = ModelInfo(
        spec=str(folder),
        engine="torch" if layers else "transformers",
        name=folder.name,
        sha256=hash_of(folder),
        context=trained.max_length,
        deterministic=device == "cpu",
        details={"dtype": dtype, "device": device, "base": base.name, "base_sha256": str(base.sha256)},
    )
    return TrainedClassifier(forward, RowMaker(base.folder, trained.max_length), trained, info)


def _plain_layers(base: Path) -> Layers | None:
    """Return the class of `bert_layers.py` that can run a base model, or None if only transformers can run it."""
    config = read_json(base / "config.json", dict[str, Any])
    layers: Layers | None = Bert if fits(config) else MPNet if fits_mpnet(config) else None
    return layers if len(list(base.glob("*.safetensors"))) == 1 else None


def _in_plain_layers(layers: Layers, base: Path, folder: Path, classes: int, dtype: str, device: str) -> Forward:
    import torch

    state, shape = read_bert(base)
    width = state["embeddings.word_embeddings.weight"].shape[1]
    named = {ENCODER + name: state.pop(name) for name in list(state)}
    named |= {f"{HEAD}weight": torch.empty(classes, width), f"{HEAD}bias": torch.empty(classes)}
    named |= _trained(named, folder)
    head = Linear(named.pop(f"{HEAD}weight").to(device), named.pop(f"{HEAD}bias").to(device))
    cast = partial(torch.Tensor.to, device=device, dtype=getattr(torch, dtype))
    # popped: the weights must not be in memory in both formats
    encode = layers({name.removeprefix(ENCODER): cast(named.pop(name)) for name in list(named)}, shape)

    def forward(rows: Sequence[Row], by_piece: bool) -> "Tensor":
        ids = torch.tensor([row.ids for row in rows], device=device)
        second = torch.tensor([[row.second] for row in rows], device=device)
        segments = (torch.arange(ids.shape[1], device=device) >= second).long()
        vectors = encode(ids, segments).float()
        return head(scaled(vectors if by_piece else vectors.mean(1)))

    return forward


def _in_transformers(base: Path, folder: Path, classes: int, dtype: str, device: str) -> Forward:
    import torch

    from src.llm.loading import silence
    from src.models.pooled import new_classifier, padded

    silence()
    model: Any = new_classifier(base, classes)
    lay_over(model, folder)
    model.encoder.to(getattr(torch, dtype))
    model.to(device).eval()
    return lambda rows, by_piece: (model.token_logits if by_piece else model)(**padded(rows, model.config, device))


def lay_over(model: Any, folder: Path) -> None:
    """Replace a classifier's weights with those of a folder that was trained from the same base.

    Raises InputError when the folder is damaged, has no head, or was trained from another base.
    """
    weights = dict(model.named_parameters())
    for name, weight in _trained(weights, folder).items():
        weights[name].data = weight


def _trained(weights: "Mapping[str, Tensor]", folder: Path) -> "dict[str, Tensor]":
    """Return the weights that training changed: base weights merged with the folder's LoRA, or the folder's weights.

    Raises InputError when the folder is damaged or has no head.
    """
    is_lora = not (folder / WHOLE).is_file()
    changed = dict(merged(weights, read_adapter(folder))) if is_lora else _held(weights, folder / WHOLE)
    if missing := {f"{HEAD}weight", f"{HEAD}bias"} - set(changed):
        raise InputError(f"holds no {', '.join(sorted(missing))}, so it is no classifier", path=folder)
    return changed


def _held(weights: "Mapping[str, Tensor]", path: Path) -> "dict[str, Tensor]":
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None
    for name, weight in tensors.items():
        if name not in weights or weights[name].shape != weight.shape:
            raise InputError("its base has no such weight of that shape", path=path, field=name)
    return {name: weight.to(weights[name].detach()) for name, weight in tensors.items()}
