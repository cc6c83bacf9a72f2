"""Loader of a causal language model for training: without dropout, with adapters.

Limitations: the weights of the bundled model are those of the GGUF, dequantized. Its adapters fit these weights.
"""

from typing import Any

from src.errors import InputError
from src.models.base_model import BaseModel
from src.training.loop.adapters import with_adapters
from src.training.loop.precision import base_dtype
from src.training.recipe import Recipe


def load_causal(base: BaseModel, recipe: Recipe) -> tuple[Any, Any, int]:
    """Return model, tokenizer and padding token. Raises InputError when the base is not a language model."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from src.llm.loading import silence

    silence()
    try:
        tokenizer = AutoTokenizer.from_pretrained(base.folder)
        dtype = getattr(torch, base_dtype(trained=recipe.rank == 0))
        # "eager" attention: with padding, the fused kernels are slower backwards on a CPU, and on a GPU gave NaN
        model: Any = AutoModelForCausalLM.from_pretrained(base.folder, dtype=dtype, attn_implementation="eager")
    except (OSError, ValueError) as error:
        raise InputError(f"cannot load the model {base.name}: {str(error).strip().splitlines()[0]}") from None
    if tokenizer.eos_token_id is None:
        raise InputError(f"{base.name} has no token that ends a text")
    for part in model.modules():
        if isinstance(part, torch.nn.Dropout):
            part.p = 0.0  # dropout halves the speed, and adapters are small enough without it
    pad = tokenizer.eos_token_id if tokenizer.pad_token_id is None else tokenizer.pad_token_id
    return with_adapters(model, recipe, classifies=False), tokenizer, pad
