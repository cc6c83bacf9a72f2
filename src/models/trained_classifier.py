"""Loader of classifiers trained with `src/training`: a base model with a LoRA (or whole weights) and a head.

The LoRA is merged when it is loaded, weight by weight. BERT models, such as the bundled MiniLM, and MPNet models run as
plain tensor operations and do not need transformers; others run in transformers. A batch holds inputs of equal length,
so nothing is padded. The other inputs of a call change nothing in bfloat16, and only rounding in float32.

Limitations: the meaning of the classes is defined by the models in `reranker.py`, `veracity.py` and the like.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from src.errors import InputError
from src.llm.adapter import Merging, check_base, read_adapter
from src.llm.loading import computes_bfloat16, find_device
from src.llm.protocol import ModelInfo
from src.llm.tensor_file import TensorFile
from src.llm.weights import hash_of
from src.models.base_model import BaseModel, find_base
from src.models.bert_layers import WORDS, Batch, Bert, Linear, MPNet, fits, fits_mpnet, read_bert, scaled
from src.models.encoder import packs
from src.models.evidence_rows import LAYOUTS, Input, Row, RowMaker
from src.models.trained import TRAINED, Trained, read_trained
from src.store import read_json

if TYPE_CHECKING:
    from torch import Tensor

WHOLE = "model.safetensors"  # the weights of a folder that holds no LoRA
ENCODER, HEAD = "encoder.", "score."  # prefixes of weight names: of the base model and of the head

Layers = type[Bert] | type[MPNet]
Forward = Callable[[Sequence[Sequence[Row]], bool], "list[Tensor]"]
"""Function from batches of rows, each of one length, to the logits of each batch; if True, of each word piece."""


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
            for pack in packs([len(row.ids) for row in rows]):
                outputs = self._forward([[rows[index] for index in batch] for batch in pack], True)
                for batch, output in zip(pack, outputs, strict=True):
                    for index, row_logits in zip(batch, output, strict=True):
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
            for pack in packs([len(row.ids) for row in rows]):
                outputs = self._forward([[rows[index] for index in batch] for batch in pack], False)
                for batch, output in zip(pack, outputs, strict=True):
                    logits[batch] = output.float().cpu()
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
    width = state.shapes[WORDS][1]
    heads = {f"{HEAD}weight": (classes, width), f"{HEAD}bias": (classes,)}
    change = changes_of(folder, {ENCODER + name: of_weight for name, of_weight in state.shapes.items()} | heads)
    head = Linear(*(change(name, torch.empty(shape_)).to(device) for name, shape_ in heads.items()))
    cast = partial(torch.Tensor.to, device=device, dtype=getattr(torch, dtype))
    only_cast = [WORDS] if device == "cpu" and ENCODER + WORDS not in change.names else []
    encode = layers(state.mapped(lambda name, weight: cast(change(ENCODER + name, weight)), only_cast), shape)

    def forward(batches: Sequence[Sequence[Row]], by_piece: bool) -> "list[Tensor]":
        outputs = encode([_ids_and_segments(rows, device) for rows in batches])
        return [head(scaled(one.float() if by_piece else one.float().mean(1))) for one in outputs]

    return forward


def _ids_and_segments(rows: Sequence[Row], device: str) -> Batch:
    import torch

    ids = torch.tensor([row.ids for row in rows], device=device)
    second = torch.tensor([[row.second] for row in rows], device=device)
    return ids, (torch.arange(ids.shape[1], device=device) >= second).long()


def _in_transformers(base: Path, folder: Path, classes: int, dtype: str, device: str) -> Forward:
    import torch

    from src.llm.loading import silence
    from src.models.pooled import new_classifier, padded

    silence()
    model: Any = new_classifier(base, classes)
    lay_over(model, folder)
    model.encoder.to(getattr(torch, dtype))
    model.to(device).eval()
    run = {True: model.token_logits, False: model}
    return lambda batches, by_piece: [run[by_piece](**padded(rows, model.config, device)) for rows in batches]


def lay_over(model: Any, folder: Path) -> None:
    """Replace a classifier's weights with those of a folder that was trained from the same base.

    Raises InputError when the folder is damaged, has no head, or was trained from another base.
    """
    weights = dict(model.named_parameters())
    change = changes_of(folder, {name: tuple(weight.shape) for name, weight in weights.items()})
    for name in change.names:
        weights[name].data = change(name, weights[name].detach())


class Changes(Protocol):
    """Changes that a training made to the weights of its base model and head; `names` are the weights it changed."""

    @property
    def names(self) -> Sequence[str]: ...

    def __call__(self, name: str, weight: "Tensor") -> "Tensor":
        """Return the trained weight, in the number format of `weight`; a weight that was not trained is unchanged."""


def changes_of(folder: Path, shapes: Mapping[str, tuple[int, ...]]) -> Changes:
    """Return the changes of a trained folder to weights of these shapes: its LoRA, or its whole weights.

    Raises InputError when the folder is damaged, has no head, or was trained from another base.
    """
    whole = folder / WHOLE
    changes: Changes = WholeWeights(whole, shapes) if whole.is_file() else Merging(read_adapter(folder), shapes)
    if missing := {f"{HEAD}weight", f"{HEAD}bias"} - set(changes.names):
        raise InputError(f"holds no {', '.join(sorted(missing))}, so it is no classifier", path=folder)
    return changes


class WholeWeights:
    """The weights of a file, which replace those of the base model."""

    def __init__(self, path: Path, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._file = TensorFile(path)
        self.names = list(self._file.shapes)
        for name, shape in self._file.shapes.items():
            if shapes.get(name) != shape:
                raise InputError("its base has no such weight of that shape", path=path, field=name)

    def __call__(self, name: str, weight: "Tensor") -> "Tensor":
        return self._file.read(name).to(weight) if name in self.names else weight
