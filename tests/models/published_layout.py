"""Writer of a tiny BERT in the layout of the published checkpoints: pytorch-lightning's keys around the weights."""

from collections import OrderedDict
from pathlib import Path
from typing import Any


def published_content(folder: Path) -> dict[str, Any]:
    """Return the content of a published file for this model: weights, an old buffer, Adam's moments, callbacks."""
    import torch
    from transformers import BertForSequenceClassification

    weights = BertForSequenceClassification.from_pretrained(folder).state_dict()
    state = OrderedDict((f"model.{name}", weight.clone()) for name, weight in weights.items())
    state["model.bert.embeddings.position_ids"] = torch.arange(512)[None]
    moments = {
        place: {"step": 3, "exp_avg": torch.zeros_like(weight), "exp_avg_sq": torch.ones_like(weight)}
        for place, weight in enumerate(weights.values())
    }
    return {
        "epoch": 6,
        "global_step": 1200,
        "pytorch-lightning_version": "1.6.3",
        "state_dict": state,
        "loops": {"fit_loop": {"state_dict": {}, "epoch_progress": {"total": {"ready": 7}}}},
        "callbacks": {"ModelCheckpoint{'monitor': 'val_f1'}": {"best_model_score": torch.tensor(0.51)}},
        "optimizer_states": [{"state": moments, "param_groups": [{"lr": 1e-5, "params": list(moments)}]}],
        "lr_schedulers": [],
    }


def write_checkpoint(path: Path, content: object) -> Path:
    import torch

    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save(content, path)
    return path
