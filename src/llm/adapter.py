"""An adapter: a small LoRA that was trained on top of a base model, and is merged into it when it is loaded.

The folder is in peft's own format (adapter_config.json, adapter_model.safetensors), beside training.json, which says
what base it was trained on. LoRA: W + scaling * B A (Hu et al. 2022, section 4.1).

But: plain LoRA on linear layers only; whole layers that were trained beside it (`modules_to_save`) are laid over the
base's. No adapter of another kind, none with a bias of its own.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Protocol

import msgspec

from src.errors import InputError
from src.store import read_json, sha256

WEIGHTS, CONFIG = "adapter_model.safetensors", "adapter_config.json"
PREFIX = "base_model.model."  # of every tensor's name in peft's files
LORA = re.compile(r"(.+)\.lora_([AB])(?:\.default)?\.weight")


class PeftConfig(msgspec.Struct, frozen=True):
    """What adapter_config.json says, as far as it changes what is merged; the rest of it is not read."""

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
    """What a training was begun from, as training.json names it."""

    @property
    def base(self) -> str: ...
    @property
    def base_sha256(self) -> str | None: ...


class Training(msgspec.Struct, frozen=True):
    """What training.json says to whoever loads the adapter: the base, its weights' hash, how inputs are laid out."""

    base: str
    base_sha256: str | None
    layout: str = ""


class Adapter(msgspec.Struct, frozen=True):
    """An adapter's folder, read but for its weights. `sha256` is that of the weights and of how they are scaled."""

    folder: Path
    config: PeftConfig
    training: Training
    sha256: str

    @property
    def details(self) -> dict[str, str]:
        """What a manifest says of it."""
        return {"adapter": str(self.folder), "adapter_sha256": self.sha256}


def is_adapter(folder: Path) -> bool:
    return (folder / WEIGHTS).is_file()


def read_adapter(folder: Path) -> Adapter:
    """The adapter of a folder. Raises InputError when a file is missing or damaged, or it is not plain LoRA."""
    config = read_json(folder / CONFIG, PeftConfig)
    wrong = {
        f"peft_type {config.peft_type}": config.peft_type != "LORA",
        "use_dora": config.use_dora,
        "fan_in_fan_out": config.fan_in_fan_out,
        f"bias {config.bias}": config.bias != "none",
        "rank_pattern": bool(config.rank_pattern),
        "alpha_pattern": bool(config.alpha_pattern),
    }
    if found := [name for name, is_so in wrong.items() if is_so]:
        raise InputError(f"only plain LoRA can be merged, not {', '.join(found)}", path=folder / CONFIG)
    weights = folder / WEIGHTS
    if not weights.is_file():
        raise InputError("no such file", path=weights)
    return Adapter(folder, config, read_json(folder / "training.json", Training), _hash(weights, config))


def _hash(weights: Path, config: PeftConfig) -> str:
    return hashlib.sha256(f"{sha256(weights)} {config.scaling!r}".encode()).hexdigest()


def check_base(folder: Path, trained_on: Base, sha256: str | None) -> None:
    """Raises InputError unless what stands in the folder was trained on the base with this hash."""
    if trained_on.base_sha256 != sha256:
        raise InputError(
            f"trained on {trained_on.base} with weights {trained_on.base_sha256}, this base's are {sha256}",
            path=folder / "training.json",
            field="base_sha256",
        )


def merge(model: Any, adapter: Adapter) -> None:
    """Adds the adapter to the model's weights, in their own number format.

    Raises InputError when a tensor fits no weight of the model, or the weights are not in memory.
    """
    weights = dict(model.named_parameters())
    for name, tensor in merged(weights, adapter):
        weights[name].data = tensor


def merged(weights: Mapping[str, Any], adapter: Adapter) -> Iterator[tuple[str, Any]]:
    """The weights that the adapter changes, each by its name as it is with the adapter. Raises as `merge`.

    New tensors, not the old ones changed: to write into a mapped file's pages, each would first be copied.
    """
    pairs, whole = split(adapter)
    for name, (down, up) in pairs.items():
        if down.shape[0] != adapter.config.r:
            message = f"is {adapter.config.r}, the weights' rank is {down.shape[0]}"
            raise InputError(message, path=adapter.folder / CONFIG, field="r")
        weight = _fitting(weights, f"{name}.weight", (up.shape[0], down.shape[1]), adapter).detach()
        added = adapter.config.scaling * (up.to(weight.device).float() @ down.to(weight.device).float())
        yield f"{name}.weight", (weight.float() + added).to(weight.dtype)
    for name, tensor in whole.items():
        yield name, tensor.to(_fitting(weights, name, tuple(tensor.shape), adapter).detach())


def split(adapter: Adapter) -> tuple[dict[str, tuple[Any, Any]], dict[str, Any]]:
    """A and B of every layer that was adapted, by the layer's name; and the tensors of whole layers, by their own."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    path = adapter.folder / WEIGHTS
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"cannot be read: {error}", path=path) from None
    halves: dict[str, dict[str, Any]] = {}
    whole = {}
    for full_name, tensor in tensors.items():
        name = full_name.removeprefix(PREFIX)
        if found := LORA.fullmatch(name):
            halves.setdefault(found[1], {})[found[2]] = tensor
        else:
            whole[name.replace(".modules_to_save.default", "")] = tensor
    lone = [name for name, both in halves.items() if len(both) != 2 or both["A"].shape[0] != both["B"].shape[1]]
    if lone or not tensors:
        raise InputError(f"A and B do not go together at {lone[0]}" if lone else "no tensors in it", path=path)
    return {name: (both["A"], both["B"]) for name, both in halves.items()}, whole


def _fitting(weights: Mapping[str, Any], name: str, shape: tuple[int, ...], adapter: Adapter) -> Any:
    weight = weights.get(name)
    path = adapter.folder / WEIGHTS
    if weight is None or tuple(weight.shape) != shape:
        there = "no such weight" if weight is None else f"a weight of shape {tuple(weight.shape)}, not {shape}"
        raise InputError(f"the model has {there}", path=path, field=name)
    if weight.is_meta:
        raise InputError("the model does not fit into memory, so that no adapter can be merged into it", path=path)
    return weight
