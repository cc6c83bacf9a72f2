"""Reader of the weights in a published pytorch-lightning checkpoint (.ckpt).

lightning is not needed, and no code of the checkpoint is run.

A .ckpt is a zip around a pickle. Two thirds of a published file are Adam's moments. The file is memory-mapped, so they
are never read. Only `state_dict` is used, without the prefix `model.` and without `bert.embeddings.position_ids`, a
buffer that newer versions of transformers do not save.

Limitations: a pickle that names functions or classes is refused. The exceptions are names of the training library and
of numpy, which some versions leave beside the weights. Empty classes that cannot do anything replace them.
"""

import pickle
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError

if TYPE_CHECKING:
    from torch import Tensor

PREFIX = "model."
LEFT_OUT = frozenset({"bert.embeddings.position_ids"})
EMPTIED = ("pytorch_lightning.", "lightning.", "lightning_fabric.", "torchmetrics.", "numpy.")
SHOWN = 3
UNREADABLE = (  # the exceptions that torch raises for damaged bytes, found by changing bytes at random
    pickle.UnpicklingError, RuntimeError, ValueError, EOFError, LookupError, TypeError, AttributeError
)  # fmt: skip


def read_state(path: Path) -> "dict[str, Tensor]":
    """Return the weights of a .ckpt by their names in transformers, as tensors on the memory-mapped file.

    Raises InputError when the file is missing or damaged, contains code, or has no `state_dict` of tensors.
    """
    if not path.is_file():
        raise InputError("no such checkpoint", path=path)
    check_zip(path)
    return _weights(_unpickle(path), path)


def check_zip(path: Path) -> None:
    """Raise InputError if the file is not a zip."""
    if not zipfile.is_zipfile(path):
        raise InputError("damaged, or not a checkpoint of torch 1.6 or later (those are zip files)", path=path)


def _unpickle(path: Path) -> Any:
    import torch
    from torch.serialization import get_unsafe_globals_in_checkpoint, safe_globals

    try:
        names = sorted(get_unsafe_globals_in_checkpoint(path))
        refused = [name for name in names if not name.startswith(EMPTIED)]
        if refused:
            raise InputError(f"its pickle carries code ({_some(refused)}), so it is not opened", path=path)
        with safe_globals([(_empty_class(name), name) for name in names]):
            return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except UNREADABLE as error:
        reason = str(error).strip().partition("\n")[0][:200]
        raise InputError(f"cannot be read as a checkpoint: {reason}", path=path) from None


def _empty_class(name: str) -> type:
    """Return a class that replaces the class `name` of the pickle. It accepts any arguments and stores nothing."""

    def accept(cls: type, *args: object, **named: object) -> object:
        return object.__new__(cls)

    return type(name.rpartition(".")[2], (), {"__new__": accept, "__setstate__": lambda self, state: None})


def _weights(content: Any, path: Path) -> "dict[str, Tensor]":
    import torch

    state = content.get("state_dict") if isinstance(content, dict) else None
    if not isinstance(state, dict) or not state:
        raise InputError("holds no state_dict: not a checkpoint of pytorch-lightning", path=path, field="state_dict")
    weights = {}
    for name, weight in state.items():
        if not isinstance(name, str) or not isinstance(weight, torch.Tensor):
            raise InputError(f"{name!r} is not a tensor", path=path, field="state_dict")
        if (short := name.removeprefix(PREFIX)) not in LEFT_OUT:
            weights[short] = weight
    return weights


def check_state(state: "dict[str, Tensor]", expected: "dict[str, Tensor]", path: Path) -> None:
    """Raise InputError unless the weights `state` have the names and shapes of `expected`.

    The message lists the first few differences.
    """
    shapes = [
        f"{name} {list(state[name].shape)} instead of {list(expected[name].shape)}"
        for name in expected
        if name in state and state[name].shape != expected[name].shape
    ]
    problems = {
        "missing": [name for name in expected if name not in state],
        "unexpected": [name for name in state if name not in expected],
        "of another shape": shapes,
    }
    differences = "; ".join(f"{kind}: {_some(names)}" for kind, names in problems.items() if names)
    if differences:
        raise InputError(f"does not fit the model ({differences})", path=path, field="state_dict")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more
