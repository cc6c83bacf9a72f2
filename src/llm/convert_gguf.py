"""Conversion of a GGUF file into a folder that transformers loads fast (from GGUF it takes ten seconds or more).

Limitations: the whole model is held in memory.
"""

import io
from contextlib import redirect_stderr
from pathlib import Path

from src.llm.download import locked, place, workshop
from src.llm.extras import require
from src.llm.loading import computes_bfloat16, silence
from src.llm.weights import PRETRAINED, Archive

COPY = "transformers"  # the folder beside the GGUF file


def unpack(archive: Archive, root: Path = PRETRAINED) -> bool:
    """Create a model's copy for transformers, whole or not at all; return False if it existed. Raises MissingExtra."""
    target = root / archive.folder / COPY
    if target.is_dir():
        return False
    require("torch", archive.name)
    require("transformers", archive.name)
    with locked(target), workshop(target) as folder:
        convert_gguf(root / archive.folder / archive.files[0].path, folder / "model")
        place(folder / "model", target)
    return True


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Write weights, config and tokenizer; bfloat16 if this CPU computes in it, else float32."""
    require("gguf", "unpacking a GGUF file")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    silence()
    dtype = torch.bfloat16 if computes_bfloat16("cpu") else torch.float32
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    with redirect_stderr(io.StringIO()):  # a progress bar that cannot be switched off
        model = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=dtype, quantization_config=GgufConfig(dequantize=True)
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
