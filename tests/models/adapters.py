"""Small folders as a training writes them: random LoRA or whole weights on a base, with `training.json`."""

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from src.llm.weights import hash_of
from src.models.evidence_rows import LAYOUT
from src.models.trained import TRAINED, Trained
from src.records import VERDICTS


def make_trained(
    folder: Path, base: Path, task: str, *, lora: bool = True, labels: Sequence[str] = tuple(VERDICTS), **more: Any
) -> Any:
    """Write a trained folder and return its model in float32, with the LoRA if it has one."""
    import torch
    from peft import LoraConfig, TaskType, get_peft_model

    from src.models.pooled import new_classifier

    torch.manual_seed(11 + more.get("seed", 0))
    model: Any = new_classifier(base, len(labels))
    if lora:
        config = LoraConfig(r=4, lora_alpha=8, target_modules="all-linear", task_type=TaskType.SEQ_CLS)
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # peft asks for what is renamed
            model = get_peft_model(model, config)
    else:
        model.encoder.get_input_embeddings().requires_grad_(False)
    with torch.no_grad():
        for weight in model.parameters():
            if weight.requires_grad:
                weight.add_(0.2 * torch.randn_like(weight))
                weight.copy_(weight.bfloat16())
    model.save_pretrained(folder)
    fields: dict[str, Any] = {"layout": LAYOUT, "max_length": 64, "seed": 0, "recipe": {}, "data": {}, "scores": {}}
    base_of: dict[str, Any] = {"base": f"hf:{base}", "base_sha256": hash_of(base)}
    record = Trained(task=task, labels=tuple(labels), **(base_of | fields | more))
    (folder / TRAINED).write_bytes(msgspec.json.encode(record))
    return model.eval()


def make_base(folder: Path, kind: str) -> Path:
    """Write a tiny BERT or MPNet without a head, with its tokenizer."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer, MPNetConfig, MPNetModel

    from tests.tiny_models import make_bert

    words = make_bert(folder.with_name(f"{folder.name}_words"))
    tokenizer: Any = BertTokenizer(vocab=str(words / "vocab.txt"), do_lower_case=True, model_max_length=512)
    sizes: dict[str, Any] = {
        "vocab_size": len(tokenizer),
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 512,
        "initializer_range": 0.4,
        "pad_token_id": tokenizer.pad_token_id,
    }
    torch.manual_seed(5)
    model: Any = BertModel(BertConfig(**sizes)) if kind == "bert" else MPNetModel(MPNetConfig(**sizes))
    model.eval().save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
