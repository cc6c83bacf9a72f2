"""In which number format a model is trained: bfloat16 where the device has instructions for it, else float32.

Weights that are trained stay float32, whatever the rest is.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from src.llm.loading import computes_bfloat16, find_device


def base_dtype(*, trained: bool) -> str:
    """The format in which a base is loaded. `trained`: its own weights change, so they need all their digits."""
    return "bfloat16" if computes_bfloat16(find_device()) and not trained else "float32"


def autocast(device: str) -> AbstractContextManager[Any]:
    """Matrix products in bfloat16, as far as the device computes in it."""
    import torch

    if not computes_bfloat16(device):
        return nullcontext()
    return torch.autocast(device, dtype=torch.bfloat16)
