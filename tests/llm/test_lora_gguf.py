"""An adapter's GGUF file: which rows stand where, and for which families."""

from pathlib import Path

import gguf
import numpy as np
import pytest

from src.errors import InputError
from src.llm.adapter import read_adapter, split
from src.llm.lora_gguf import lora_gguf
from tests.llm.adapters import make_adapter
from tests.tiny_models import make_causal


def base_of(folder: Path, family: str) -> Path:
    """A GGUF file that says its family and nothing more."""
    path = folder / "base.gguf"
    writer = gguf.GGUFWriter(path, family)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    from transformers import AutoModelForCausalLM

    model = AutoModelForCausalLM.from_pretrained(make_causal(tmp_path / "tiny"))
    return make_adapter(tmp_path / "adapter", model, "0" * 64)


@pytest.mark.parametrize(("family", "turned"), [("llama", True), ("qwen2", False)])
def test_queries_are_put_in_another_order_for_llamas_alone(
    family: str, turned: bool, adapter: Path, tmp_path: Path
) -> None:
    read = read_adapter(adapter)
    found = gguf.GGUFReader(lora_gguf(read, base_of(tmp_path, family)))
    held = {tensor.name: tensor.data for tensor in found.tensors}
    _, up = split(read)[0]["model.layers.1.self_attn.q_proj"]
    same = np.array_equal(held["blk.1.attn_q.weight.lora_b"], up.float().numpy())
    assert same is not turned
    assert np.array_equal(np.sort(held["blk.1.attn_q.weight.lora_b"], 0), np.sort(up.float().numpy(), 0))
    _, value = split(read)[0]["model.layers.1.self_attn.v_proj"]
    assert np.array_equal(held["blk.1.attn_v.weight.lora_b"], value.float().numpy())


def test_other_families_are_refused(adapter: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="llama or qwen2 alone, this is gemma"):
        lora_gguf(read_adapter(adapter), base_of(tmp_path, "gemma"))
