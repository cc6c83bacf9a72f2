"""Trainable weights of a model: LoRA adapters or all weights, their number format, and loading from files.

Computation is in bfloat16 where the device has instructions for it, else in float32. Trained weights are always
float32.

Limitations: no model is loaded here; the tasks choose the model and its head.
"""

import warnings
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.llm.adapter import read_adapter, split
from src.llm.loading import computes_bfloat16, find_device
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from torch import Tensor


def with_adapters(model: Any, recipe: Recipe, *, classifies: bool) -> Any:
    """Prepare a model for training by the recipe: with LoRA adapters, or with all weights trained (`rank` 0).

    `classifies`: True for a classifier, whose head is trained in full besides the adapters; False for a model that
    writes text.

    Raises InputError when the model lacks the linear layers that the recipe's `targets` name.
    """
    if recipe.rank == 0:
        return _freed(model)
    from peft import LoraConfig, TaskType, get_peft_model
    from peft.tuners.tuners_utils import BaseTunerLayer
    from torch.nn import Linear
    from transformers.pytorch_utils import Conv1D

    config = LoraConfig(
        r=recipe.rank,
        lora_alpha=recipe.alpha,
        lora_dropout=recipe.dropout,
        layers_to_transform=_layers(model, recipe),
        target_modules=recipe.targets[0] if recipe.targets == ("all-linear",) else list(recipe.targets),
        task_type=TaskType.SEQ_CLS if classifies else TaskType.CAUSAL_LM,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)  # peft 0.21 reads it
        try:
            adapted: Any = get_peft_model(model, config)
        except ValueError as error:
            reason = str(error).partition(". ")[0]
            raise InputError(f"--targets {','.join(recipe.targets)}: {reason}") from None
    for weight in adapted.parameters():
        if weight.requires_grad:
            weight.data = weight.data.float()
    layers: list[Any] = [module for module in adapted.modules() if isinstance(module, BaseTunerLayer)]
    if not all(isinstance(layer.get_base_layer(), Linear | Conv1D) for layer in layers):
        raise InputError(f"--targets {','.join(recipe.targets)}: not all of them are linear maps")
    for layer in layers:
        layer.cast_input_dtype_enabled = False  # autocast rounds inputs anyway; each would be copied
    return adapted


def _layers(model: Any, recipe: Recipe) -> list[int] | None:
    """Return the indices of the layers that get adapters, or None for all layers."""
    if not recipe.first_layer:
        return None
    if recipe.targets == ("all-linear",):
        raise InputError("--first_layer goes with --targets by name")
    return list(range(recipe.first_layer, model.config.num_hidden_layers))


def begin_with(model: Any, folder: Path) -> None:
    """Initialize a model's LoRA adapters and its head with the weights of a trained adapter in `folder`.

    If the model has more classes than the trained head, its last classes stay random. Raises InputError when the
    adapter is damaged, or has another rank or other layers.
    """
    pairs, whole = split(read_adapter(folder))
    plain = model.get_base_model()
    for name, module in plain.named_modules():
        if (held := pairs.pop(name, None)) is not None:
            for part, tensor in zip((module.lora_A, module.lora_B), held, strict=True):
                if part["default"].weight.shape != tensor.shape:
                    raise InputError("its adapters have another rank than --rank", path=folder, field=name)
                _fill(part["default"].weight, tensor)
    if pairs:
        raise InputError("the model has no such layer with an adapter", path=folder, field=next(iter(pairs)))
    for name, tensor in whole.items():
        weight = plain.get_parameter(name)
        if weight.shape[1:] == tensor.shape[1:]:
            shared = min(len(weight), len(tensor))
            weight.data[:shared] = tensor[:shared].to(weight)


def _fill(weight: "Tensor", tensor: "Tensor") -> None:
    weight.data = tensor.float().to(weight.device)


def _freed(model: Any) -> Any:
    """Make all weights of the model trainable except the word embeddings, and return the model.

    Word embeddings learn nothing from a few thousand texts.
    """
    model.requires_grad_(True)
    model.get_input_embeddings().requires_grad_(False)
    return model


def trained_weights(model: Any) -> "dict[str, Tensor]":
    """Return the trainable weights of a model, by name. The tensors are the model's own: training changes them."""
    return {name: weight.data for name, weight in model.named_parameters() if weight.requires_grad}


def kept_weights(model: Any) -> "dict[str, Tensor]":
    """Return a copy of a model's trainable weights, by name. Training does not change the copy."""
    return {name: weight.clone() for name, weight in trained_weights(model).items()}


def blend(model: Any, start: "Mapping[str, Tensor]", share: float) -> None:
    """Interpolate a model's trainable weights, in place, with the weights `start`, which count with `share` (0 to 1).

    This is WiSE-FT (Wortsman et al. 2022), except that the two factors of LoRA are interpolated, not their product.
    """
    for name, weight in trained_weights(model).items():
        weight.lerp_(start[name].to(weight), share)


def load_weights(model: Any, weights: "Mapping[str, Tensor]") -> None:
    """Set the trainable weights of a model to the values of `weights`, by name."""
    for name, weight in trained_weights(model).items():
        weight.copy_(weights[name])


def round_weights(model: Any) -> None:
    """Round a model's trainable weights to bfloat16, the format in which they are saved.

    Scores computed afterwards are those of the saved weights.
    """
    for weight in trained_weights(model).values():
        weight.copy_(weight.bfloat16())


def base_dtype(*, trained: bool) -> str:
    """Return the number format in which to load a base model, as the name of a torch dtype.

    It is float32 if the base's own weights are trained (`trained`). Otherwise it is bfloat16 if the device computes in
    bfloat16, and float32 if not.
    """
    return "bfloat16" if computes_bfloat16(find_device()) and not trained else "float32"


def autocast(device: str) -> AbstractContextManager[Any]:
    """Return a context in which torch computes matrix products in bfloat16.

    On a device without bfloat16, the context changes nothing.
    """
    import torch

    if not computes_bfloat16(device):
        return nullcontext()
    return torch.autocast(device, dtype=torch.bfloat16)
