"""Unpacks a GGUF file once into a folder that transformers loads in a moment (it takes ten seconds or more from GGUF).

But: for one small file; the whole model is held in memory.
"""

import io
from contextlib import redirect_stderr
from pathlib import Path

from src.llm.extras import require
from src.llm.loading import computes_bfloat16, silence


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Writes weights, config and tokenizer; bfloat16 where this CPU computes in it, else float32."""
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
