"""Adapter: a small LoRA that was trained on top of a base model, and is merged into it on loading.

The folder has peft's format (adapter_config.json, adapter_model.safetensors), and training.json, which says on what
base it was trained. LoRA: W + scaling * B A (Hu et al. 2022, section 4.1).

Limitations: plain LoRA on linear layers only. Whole layers that were trained with it (`modules_to_save`) replace the
base's. Adapters of other kinds, or with their own bias, are refused.
"""

import hashlib
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

import msgspec

from src.errors import InputError
from src.store import read_json, sha256

if TYPE_CHECKING:
    from torch import Tensor

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
PREFIX = "base_model.model."  # of every tensor's name in peft's files
LORA = re.compile(r"(.+)\.lora_([AB])(?:\.default)?\.weight")


class PeftConfig(msgspec.Struct, frozen=True):
    """Fields of adapter_config.json that change the merged weights; the others are not read."""

    peft_type: str
    r: Annotated[int, msgspec.Meta(ge=1)]
    lora_alpha: float
    use_rslora: bool = False
    use_dora: bool = False
    fan_in_fan_out: bool = False
    bias: str = "none"
    rank_pattern: dict[str, int] = {}
    alpha_pattern: dict[str, float] = {}

    @property
    def scaling(self) -> float:
        return self.lora_alpha / (self.r**0.5 if self.use_rslora else self.r)


class Base(Protocol):
    """Base model of an adapter, as training.json names it."""

    @property
    def base(self) -> str: ...
    @property
    def base_sha256(self) -> str | None: ...


class Training(msgspec.Struct, frozen=True):
    """Fields of training.json for loading the adapter.

    `base`: name of the base model.
    `base_sha256`: hash of the base model's weights.
    `layout`: layout of the inputs, "" if not given.
    """

    base: str
    base_sha256: str | None
    layout: str = ""


class Adapter(msgspec.Struct, frozen=True):
    """An adapter whose weights are not loaded. `sha256` covers the weights and their scaling."""

    folder: Path
    config: PeftConfig
    training: Training
    sha256: str

    @property
    def details(self) -> dict[str, str]:
        """Return the fields that a run's manifest records about the adapter."""
        return {"adapter": str(self.folder), "adapter_sha256": self.sha256}


def is_adapter(folder: Path) -> bool:
    return (folder / WEIGHTS).is_file()


def read_adapter(folder: Path) -> Adapter:
    """Read an adapter's folder, without its weights.

    Raises InputError when a file is missing or damaged, or the adapter is not plain LoRA.
    """
    config = read_json(folder / CONFIG, PeftConfig)
    wrong = {
        f"peft_type {config.peft_type}": config.peft_type != "LORA",
        "use_dora": config.use_dora,
        "fan_in_fan_out": config.fan_in_fan_out,
        f"bias {config.bias}": config.bias != "none",
        "rank_pattern": bool(config.rank_pattern),
        "alpha_pattern": bool(config.alpha_pattern),
    }
    if unsupported := [name for name, is_so in wrong.items() if is_so]:
        raise InputError(f"only plain LoRA can be merged, not {', '.join(unsupported)}", path=folder / CONFIG)
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise InputError("no such file", path=weights)
    return Adapter(folder, config, read_json(folder / "training.json", Training), _hash(weights, config))


def _hash(weights: Path, config: PeftConfig) -> str:
    return hashlib.sha256(f"{sha256(weights)} {config.scaling!r}".encode()).hexdigest()


def check_base(folder: Path, trained_on: Base, sha256: str | None) -> None:
    """Raise InputError unless an adapter fits the base model that is loaded.

    `folder`: the adapter's folder, for the message.
    `trained_on`: the base model that the adapter was trained on.
    `sha256`: hash of the loaded base's weights; it must equal that of `trained_on`.
    """
    if trained_on.base_sha256 != sha256:
        raise InputError(
            f"trained on {trained_on.base} with weights {trained_on.base_sha256}, this base's are {sha256}",
            path=folder / "training.json",
            field="base_sha256",
        )


def merge(model: Any, adapter: Adapter) -> None:
    """Add the adapter to the model's weights; each keeps its number format.

    Raises InputError when a tensor fits no weight of the model, or the weights are not in memory.
    """
    weights = dict(model.named_parameters())
    merging = Merging(adapter, {name: tuple(weight.shape) for name, weight in weights.items()})
    for name in merging.names:
        if weights[name].is_meta:
            message = "the model does not fit into memory, so that no adapter can be merged into it"
            raise InputError(message, path=adapter.folder / WEIGHTS, field=name)
        weights[name].data = merging(name, weights[name].detach())


class Merging:
    """The changes that an adapter makes to the weights of a model, one weight at a time; `names` are those it changes.

    `shapes` are the shapes of the model's weights. Raises InputError when the file is unreadable, or when a tensor fits
    no weight.
    """

    def __init__(self, adapter: Adapter, shapes: Mapping[str, tuple[int, ...]]) -> None:
        self._adapter = adapter
        pairs, self._whole = split(adapter)
        self._pairs = {f"{name}.weight": pair for name, pair in pairs.items()}
        for name, (down, up) in self._pairs.items():
            if down.shape[0] != adapter.config.r:
                message = f"is {adapter.config.r}, the weights' rank is {down.shape[0]}"
                raise InputError(message, path=adapter.folder / CONFIG, field="r")
            self._check(name, shapes.get(name), (up.shape[0], down.shape[1]))
        for name, tensor in self._whole.items():
            self._check(name, shapes.get(name), tuple(tensor.shape))
        self.names = [*self._pairs, *self._whole]

    def __call__(self, name: str, weight: "Tensor") -> "Tensor":
        """Return the changed weight as a new tensor in the number format of `weight`; others are returned as they are.

        Writing into the old tensor would first copy the pages of a memory-mapped file.
        """
        if name in self._whole:
            return self._whole[name].to(weight)
        if name not in self._pairs:
            return weight
        down, up = self._pairs[name]
        added = self._adapter.config.scaling * (up.to(weight.device).float() @ down.to(weight.device).float())
        return (weight.float() + added).to(weight.dtype)

    def _check(self, name: str, there: tuple[int, ...] | None, shape: tuple[int, ...]) -> None:
        if there != shape:
            has = "no such weight" if there is None else f"a weight of shape {there}, not {shape}"
            raise InputError(f"the model has {has}", path=self._adapter.folder / WEIGHTS, field=name)


def split(adapter: Adapter) -> "tuple[dict[str, tuple[Tensor, Tensor]], dict[str, Tensor]]":
    """Return the adapter's tensors: LoRA's A and B by layer name, and whole trained layers by tensor name.

    Raises InputError when the file is unreadable, or when A and B do not fit together.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = adapter.folder / WEIGHTS
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None
    halves: dict[str, dict[str, Tensor]] = {}
    whole = {}
    for full_name, tensor in tensors.items():
        name = full_name.removeprefix(PREFIX)
        if match := LORA.fullmatch(name):
            halves.setdefault(match[1], {})[match[2]] = tensor
        else:
            whole[name.replace(".modules_to_save.default", "")] = tensor
    lone = [name for name, both in halves.items() if len(both) != 2 or both["A"].shape[0] != both["B"].shape[1]]
    if lone or not tensors:
        raise InputError(f"A and B do not go together at {lone[0]}" if lone else "no tensors in it", path=path)
    return {name: (both["A"], both["B"]) for name, both in halves.items()}, whole
