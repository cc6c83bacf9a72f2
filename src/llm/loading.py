"""Loading of a model and its tokenizer with transformers; kind, device and number format are detected.

Kind: the config says if the model is an encoder-decoder. Device: a GPU if there is one. Number format: a 32-bit
checkpoint stays 32-bit. A 16-bit checkpoint becomes bfloat16 if the device computes in it, else float16 on a GPU and
float32 on a CPU. A model that does not fit on the device is spread over GPU, memory and disk by accelerate.

Limitations: no quantized loading. Code that comes with a checkpoint is never run (`trust_remote_code` stays off).
"""

from pathlib import Path
from typing import Any

import msgspec

from src.errors import InputError, require
from src.llm import Options
from src.llm.adapter import Adapter, check_base, merge, read_adapter
from src.llm.weights import hash_of

OFFLOAD = Path("offload")
SPARE = 0.9  # the share of free memory that weights may take; the rest is for activations and the key-value cache
WIDTH = {"float32": 4, "bfloat16": 2, "float16": 2}  # bytes


class Loaded(msgspec.Struct, frozen=True):
    """A model and tokenizer of transformers.

    `seq2seq`: the model is an encoder-decoder.
    `device`: a torch device, or "spread" for a model that accelerate distributes over GPU, memory and disk.
    `dtype`: number format of the weights.
    `revision`: commit of a model from the hub, else None.
    `adapter`: the LoRA that was merged into the model; None if there is none.
    """

    model: Any
    tokenizer: Any
    seq2seq: bool
    device: str
    dtype: str
    revision: str | None
    adapter: Adapter | None = None


def load_pretrained(name: str, options: Options, weights: str | None = None) -> Loaded:
    """Load a model by folder or hub name, and merge the adapter of `options` into it.

    `weights` is the hash of the model's weights, which must be the adapter's `base_sha256`. If it is None, the weights
    in the hub library's cache are hashed. Raises InputError when there is no such model, or the adapter does not fit.
    """
    from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForSeq2SeqLM, AutoTokenizer

    silence()
    _refuse_missing_folder(name)
    adapter = read_adapter(options.adapter) if options.adapter else None
    try:
        config = AutoConfig.from_pretrained(name)
        if adapter is not None:
            check_base(adapter.folder, adapter.training, weights or hash_of(_cached_folder(name)))
        tokenizer = AutoTokenizer.from_pretrained(name)
        kind = AutoModelForSeq2SeqLM if config.is_encoder_decoder else AutoModelForCausalLM
        device = find_device(options.device)
        dtype = options.dtype or find_dtype(config, device)
        spread = options.device is None and not _fits(kind, config, dtype, device)
        model: Any = kind.from_pretrained(name, dtype=dtype, **(_spread_over_all() if spread else {}))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot load the model {name}: {first_line(error)}") from error
    model = model.eval() if spread else model.to(device).eval()
    revision = getattr(config, "_commit_hash", None)
    if adapter is not None:
        merge(model, adapter)
    where = "spread" if spread else device
    return Loaded(model, tokenizer, bool(config.is_encoder_decoder), where, dtype, revision, adapter)


def _cached_folder(name: str) -> Path:
    """Return the folder of a model in the hub library's cache; missing weights are downloaded."""
    from huggingface_hub import snapshot_download

    return Path(snapshot_download(name, allow_patterns=["*.json", "*.safetensors"]))


def silence() -> None:
    """Turn off progress bars and advice of transformers; its errors are exceptions anyway."""
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()


def first_line(error: Exception) -> str:
    """Return the first line of an error's message; messages of transformers have many lines."""
    return str(error).strip().partition("\n")[0]


def check_device(device: str) -> str:
    """Return the device if it exists. Raises InputError otherwise."""
    import torch

    known = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not known.get(device.partition(":")[0], False):
        raise InputError(f"--device {device}: not here; there is: {', '.join(name for name in known if known[name])}")
    return device


def find_device(wanted: str | None = None) -> str:
    """Return the wanted device, else the first of cuda, mps and cpu that exists. Raises InputError."""
    import torch

    if wanted is not None:
        return check_device(wanted)
    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def find_dtype(config: Any, device: str) -> str:
    """Return the number format in which to load a checkpoint, by what its config names; float32 if it names none."""
    if "16" not in str(getattr(config, "dtype", None)):
        return "float32"
    if computes_bfloat16(device):
        return "bfloat16"
    return "float32" if device == "cpu" else "float16"


def computes_bfloat16(device: str) -> bool:
    """Return True if the device has instructions for bfloat16; without them, bfloat16 is slower than float32."""
    import torch

    if device == "cuda":
        return bool(torch.cuda.is_bf16_supported(including_emulation=False))
    if device == "cpu":
        capabilities = torch.cpu.get_capabilities()
        return any(capabilities.get(name, False) for name in ("avx512_bf16", "amx_bf16", "bf16"))
    return False


def context_of(config: Any) -> int | None:
    """Return a model's context length in tokens; None for models with relative positions (T5, BLOOM)."""
    positions = getattr(config.get_text_config(), "max_position_embeddings", None)
    return positions if isinstance(positions, int) and positions > 0 else None


def _refuse_missing_folder(name: str) -> None:
    path = Path(name)
    looks_local = path.is_absolute() or name.startswith((".", "pretrained_models")) or name.count("/") > 1
    if looks_local and not path.is_dir():
        raise InputError("no such model folder", path=path)


def _fits(kind: Any, config: Any, dtype: str, device: str) -> bool:
    """Return True if the model's weights fit into the device's free memory; a model without data counts them."""
    import torch

    with torch.device("meta"):
        numbers = sum(weight.numel() for weight in kind.from_config(config).parameters())
    return bool(numbers * WIDTH[dtype] <= SPARE * free_memory(device))


def free_memory(device: str) -> int:
    """Return the number of free bytes of the device's memory; "mps" shares the machine's memory."""
    import psutil
    import torch

    if device == "cuda":
        return int(torch.cuda.mem_get_info()[0])
    return int(psutil.virtual_memory().available)


def _spread_over_all() -> dict[str, Any]:
    require("accelerate", "a model larger than the free memory")
    OFFLOAD.mkdir(exist_ok=True)
    return {"device_map": "auto", "offload_folder": str(OFFLOAD)}
