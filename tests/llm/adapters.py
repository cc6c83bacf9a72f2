"""Random LoRA adapters in peft's format, without training; equal seeds give equal adapters."""

import json
import re
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

LINEAR = r".*layers\.\d+\.(self_attn|mlp)\.\w+_proj\.weight"


def make_adapter(folder: Path, model: Any, base: str, *, rank: int = 4, size: float = 0.3, **config: Any) -> Path:
    """Write a LoRA on all linear layers of a llama's blocks, large enough to change its answers."""
    folder.mkdir(parents=True, exist_ok=True)
    draw = torch.Generator().manual_seed(3)
    tensors = {}
    for name, weight in model.named_parameters():
        if re.fullmatch(LINEAR, name):
            place = f"base_model.model.{name.removesuffix('.weight')}"
            scale = size * float(weight.detach().float().std())
            tensors[f"{place}.lora_A.weight"] = torch.randn(rank, weight.shape[1], generator=draw).bfloat16()
            tensors[f"{place}.lora_B.weight"] = (scale * torch.randn(weight.shape[0], rank, generator=draw)).bfloat16()
    save_file(tensors, folder / "adapter_model.safetensors")
    targets = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
    peft = {"peft_type": "LORA", "r": rank, "lora_alpha": rank, "target_modules": targets, "task_type": "CAUSAL_LM"}
    (folder / "adapter_config.json").write_text(json.dumps(peft | config))
    training = {"task": "question_generator", "base": "tiny", "base_sha256": base, "layout": "claim_evidence"}
    (folder / "training.json").write_text(json.dumps(training))
    return folder
