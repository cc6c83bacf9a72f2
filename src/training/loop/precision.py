"""The number format of a training: bfloat16 where the device has instructions for it, else float32.

Trained weights are always float32.
"""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from src.llm.loading import computes_bfloat16, find_device


def base_dtype(*, trained: bool) -> str:
    """Return the format in which a base is loaded. It is float32 if `trained`, because its weights change."""
    return "bfloat16" if computes_bfloat16(find_device()) and not trained else "float32"


def autocast(device: str) -> AbstractContextManager[Any]:
    """Return a context that computes matrix products in bfloat16, if the device supports it."""
    import torch

    if not computes_bfloat16(device):
        return nullcontext()
    return torch.autocast(device, dtype=torch.bfloat16)
