"""The output folder of a training: weights in bfloat16, `training.json`, a model card and the loss curve.

It is written whole or not at all. With LoRA it is an adapter in peft's format. Otherwise it has the model and the
tokenizer as their `save_pretrained` writes them (a classifier: the trained weights only).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from src.atomic_folder import whole_folder
from src.json_decoding import decode
from src.llm.adapter import CONFIG
from src.llm.adapter import WEIGHTS as ADAPTER
from src.models.trained import TRAINED, Trained
from src.training.artifacts.card import CARD, model_card
from src.training.artifacts.results import Result


def save_trained(
    folder: Path, model: Any, tokenizer: Any, trained: Trained, curve: str, runs: Sequence[Result]
) -> None:
    """Write the output folder. `runs` are all runs of the recipe so far.

    Raises OutputError when the folder cannot be written.
    """
    with whole_folder(folder) as aside:
        _save_model(aside, model, tokenizer, trained.base)
        (aside / TRAINED).write_bytes(msgspec.json.format(msgspec.json.encode(trained), indent=2) + b"\n")
        (aside / CARD).write_text(model_card(trained, runs), encoding="utf-8")
        (aside / "loss.svg").write_text(curve, encoding="utf-8")
        _open_to_others(aside)


def _save_model(folder: Path, model: Any, tokenizer: Any, base: str) -> None:
    import torch

    if not hasattr(model, "peft_config"):
        model.to(torch.bfloat16).save_pretrained(folder)
        tokenizer.save_pretrained(folder)
        return
    model.save_pretrained(folder)
    _halve(folder / ADAPTER)
    config = decode((folder / CONFIG).read_bytes(), dict[str, Any])
    config["base_model_name_or_path"] = base  # not its path on this machine
    config["target_modules"] = sorted(config["target_modules"])  # a set: its order changes from run to run
    (folder / CONFIG).write_bytes(msgspec.json.format(msgspec.json.encode(config), indent=2) + b"\n")


def _open_to_others(folder: Path) -> None:
    """Give all files the permissions of `training.json`. safetensors writes files that only their owner can read."""
    mode = (folder / TRAINED).stat().st_mode
    for path in folder.iterdir():
        path.chmod(mode)


def _halve(path: Path) -> None:
    from safetensors.torch import load_file, save_file

    save_file({name: weight.bfloat16() for name, weight in load_file(path).items()}, path, metadata={"format": "pt"})
