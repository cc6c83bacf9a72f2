"""An adapter as a GGUF file, which llama.cpp adds to its base at run time: converted once, kept next to the base.

For the llama family, rows of B for queries and keys are put in llama.cpp's order. It rotates neighboring numbers of a
head together (RoPE), while transformers rotates those half a head apart. For Qwen2 both do the latter.

Limitations: these two families only, and the linear layers inside their blocks.
"""

import re
from pathlib import Path
from typing import Any

from src.errors import InputError
from src.llm.adapter import Adapter, split
from src.llm.download import locked, place, workshop
from src.llm.extras import require

LAYER = re.compile(r"model\.layers\.(\d+)\.\w+\.(\w+)")
LLAMA = "llama"
FAMILIES = (LLAMA, "qwen2")
NAMES = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}


def lora_gguf(adapter: Adapter, base: Path) -> Path:
    """Return the adapter's GGUF file, created if needed. Raises InputError if base or layer is not supported."""
    target = base.parent / "adapters" / f"{adapter.sha256[:16]}.gguf"
    if target.is_file():
        return target
    for package in ("gguf", "torch", "safetensors"):
        require(package, "an adapter on llama.cpp")
    with locked(target), workshop(target) as folder:
        _convert(adapter, base, folder / "adapter.gguf")
        place(folder / "adapter.gguf", target)
    return target


def _convert(adapter: Adapter, base: Path, target: Path) -> None:
    import gguf

    reader = gguf.GGUFReader(base)
    family = reader.fields["general.architecture"].contents()
    if family not in FAMILIES:
        raise InputError(f"an adapter can be put on {' or '.join(FAMILIES)} alone, this is {family}", path=base)
    heads = {
        name: int(reader.fields[f"{family}.attention.{count}"].contents())
        for name, count in (("q_proj", "head_count"), ("k_proj", "head_count_kv"))
        if family == LLAMA
    }
    writer = gguf.GGUFWriter(target, family)
    writer.add_type("adapter")
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    pairs, whole = split(adapter)
    if whole:
        raise InputError(f"{next(iter(whole))} was trained whole, which llama.cpp cannot lay over", path=adapter.folder)
    ranks = {down.shape[0] for down, _ in pairs.values()}
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, adapter.config.scaling * max(ranks))
    for name, (down, up) in pairs.items():
        found = LAYER.fullmatch(name)
        if found is None or found[2] not in NAMES:
            raise InputError(f"llama.cpp has no layer {name}", path=adapter.folder)
        inside = f"blk.{found[1]}.{NAMES[found[2]]}.weight"
        if found[2] in heads:
            up = _neighbours(up, heads[found[2]])
        writer.add_tensor(f"{inside}.lora_a", down.float().contiguous().numpy())
        writer.add_tensor(f"{inside}.lora_b", up.float().contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _neighbours(up: Any, heads: int) -> Any:
    """Return the rows reordered: in each head, rows half a head apart become neighbors."""
    width = up.shape[0] // heads
    return up.reshape(heads, 2, width // 2, up.shape[1]).transpose(1, 2).reshape(up.shape)
