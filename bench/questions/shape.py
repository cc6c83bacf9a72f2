"""A large model's shape with random weights, on a GPU: prompts in batches beside one at a time, and how far that is
from what the device's memory and arithmetic allow.

Limitations: nothing is read or written that means anything.
"""

import argparse
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from bench.questions.published import FOLDER
from bench.turns import Rows, rate, speeds
from src.errors import InputError
from src.llm import Request

PROMPT, NEW = 1_300, 64  # tokens
TINY = "tiny"  # for a try without a GPU
SHAPES: dict[str, dict[str, Any]] = {
    "bloom-7b1": {"hidden_size": 4096, "n_layer": 30, "n_head": 32, "vocab_size": 250_880},
    TINY: {"hidden_size": 64, "n_layer": 2, "n_head": 4, "vocab_size": 512},
}


def shape(args: argparse.Namespace) -> Rows:
    """Raises InputError for a shape that only a GPU can hold, where there is none."""
    import torch

    from src.llm.generation import Generator
    from src.llm.rows import Row

    if args.shape != TINY and not torch.cuda.is_available():
        raise InputError(f"--shape {args.shape}: no GPU is at hand")

    loaded = _random_model(args.shape)
    generator, draw = Generator(loaded), torch.Generator().manual_seed(0)
    long = PROMPT if args.shape != TINY else 40
    ids = torch.randint(5, SHAPES[args.shape]["vocab_size"], (args.shape_rows, long), generator=draw).tolist()
    request = Request("", num_beams=2, no_repeat_ngram_size=2, max_new_tokens=NEW)
    rows = [Row(request, tokens, NEW) for tokens in ids]

    def answer(some: list[Row], at_once: int) -> list[object]:
        return list(generator.answers(some, at_once, args.batch_tokens))

    at_once = min(args.shape_rows, args.batch_tokens // rows[0].cost)
    with torch.inference_mode():
        answer(rows[:2], 2)
        ours, reference = [], []
        for _ in range(args.turns):
            ours.append(rate(len(rows), lambda: answer(rows, at_once)))
            reference.append(rate(2, lambda: [answer([row], 1) for row in rows[:2]]))
        limits = _limits(loaded, at_once, long)
    notes: dict[str, float | str] = {name: round(median(ours) / limit, 3) for name, limit in limits.items()}
    notes["device"] = torch.cuda.get_device_name() if loaded.device == "cuda" else loaded.device
    return {f"shape {args.shape}, {at_once} rows": speeds("questions/s", ours, reference, notes)}


def _random_model(name: str) -> Any:
    import torch
    from transformers import AutoTokenizer, BloomConfig, BloomForCausalLM

    from src.llm.loading import Loaded, find_device

    device = find_device()
    config = BloomConfig(**SHAPES[name], bos_token_id=1, eos_token_id=2, pad_token_id=3)
    with torch.device("meta"):
        model = BloomForCausalLM(config).bfloat16()
    model = model.to_empty(device=device).eval()
    model.tie_weights()
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(0, 0.02)
    tokenizer = AutoTokenizer.from_pretrained(FOLDER)
    return Loaded(model, tokenizer, False, device, "bfloat16", None)


def _limits(loaded: Any, rows: int, long: int) -> dict[str, float]:
    """Questions a second that arithmetic alone and memory alone would allow, at speeds measured on this device.

    Arithmetic: two operations for each weight and token, the prompt read once. Memory: a step reads all weights once,
    and keys and values of every beam.
    """
    import torch

    weights = sum(weight.numel() for weight in loaded.model.parameters())
    side = 8192 if loaded.device == "cuda" else 512
    square = torch.ones(side, side, dtype=torch.bfloat16, device=loaded.model.device)
    operations = 2 * side**3 * _best(lambda: square @ square, loaded.device)
    many = torch.ones(side, side * 4, dtype=torch.bfloat16, device=loaded.model.device)
    moved = 2 * many.nbytes * _best(lambda: many.clone(), loaded.device)
    config = loaded.model.config
    cache_bytes = 2 * 2 * config.n_layer * config.hidden_size * (long + NEW / 2) * 2 * rows
    return {
        "of_the_arithmetic_limit": operations / (2 * weights * (long + 2 * NEW)),
        "of_the_memory_limit": rows * moved / (NEW * (2 * weights + cache_bytes)),
    }


def _best(work: Callable[[], object], device: str) -> float:
    """How often in a second, the best of a few."""
    import torch

    rates = []
    for _ in range(8):
        began = time.perf_counter()
        work()
        if device == "cuda":
            torch.cuda.synchronize()
        rates.append(1 / (time.perf_counter() - began))
    return max(rates)
