"""GPU memory of a system: weights by dtype, key-value cache by config, models that are missing."""

from pathlib import Path

import gguf
import msgspec
import numpy as np
import pytest

from src.errors import InputError
from src.fever8.memory import CUDA_BYTES, MARGIN, Estimate, estimate
from src.fever8.system import Strategy, System
from src.fever8.weights import Shape, shape_of, weight_bytes
from tests.fever8.folders import write_model

QWEN = {
    "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 8, "head_dim": 128, "hidden_size": 5120,
    "max_position_embeddings": 40960, "torch_dtype": "bfloat16",
}  # fmt: skip


def system(llm: str = "", dtype: str = "", batch_tokens: int = 50_000, slots: int = 1, context: int = 0) -> System:
    return System(
        "small", Strategy.ONE_CALL, [], llms=[llm] if llm else [], dtype=dtype, batch_tokens=batch_tokens, slots=slots,
        context=context,
    )  # fmt: skip


def write_gguf(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_block_count(30)
    writer.add_head_count(9)
    writer.add_head_count_kv(3)
    writer.add_embedding_length(576)
    writer.add_context_length(8192)
    writer.add_tensor("weight", np.zeros((4, 4), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_keys_and_values_of_a_batch_are_counted(tmp_path: Path) -> None:
    write_model(tmp_path / "own_models/0_qwen", 29.5, QWEN)
    token = 2 * 40 * 8 * 128 * 2  # bytes
    hub = estimate(tmp_path, system("hf:own_models/0_qwen"))
    assert (hub.tokens, hub.cache) == (50_000, 50_000 * token)
    assert hub.models["own_models/0_qwen"] == pytest.approx(29.5e9, rel=1e-6)
    assert hub.total == int(MARGIN * (hub.models["own_models/0_qwen"] + hub.cache)) + CUDA_BYTES
    served = estimate(tmp_path, system("vllm:own_models/0_qwen"))
    assert (served.tokens, served.cache) == (40960, 40960 * token)
    wide = estimate(tmp_path, system("hf:own_models/0_qwen", dtype="float32"))
    assert wide.cache == 2 * hub.cache
    assert wide.models["own_models/0_qwen"] == pytest.approx(59e9, rel=1e-6)


def test_llama_cpp_holds_a_context_a_slot(tmp_path: Path) -> None:
    write_gguf(tmp_path / "own_models/0_m.gguf")
    found = estimate(tmp_path, system("gguf:own_models/0_m.gguf", slots=4))
    assert found.tokens == 4 * 8192
    assert found.cache == 4 * 8192 * 2 * 30 * 3 * 64 * 2
    limited = estimate(tmp_path, system("gguf:own_models/0_m.gguf", slots=4, context=1024))
    assert limited.tokens == 4 * 1024


@pytest.mark.parametrize(
    ("llm", "batch_tokens", "context", "tokens"),
    [("hf", 1000, 0, 40960), ("hf", 1000, 4096, 4096), ("hf", 5000, 4096, 5000), ("vllm", 1000, 4096, 4096),
     ("vllm", 1000, 99999, 40960)],
)  # fmt: skip
def test_the_longest_sequence_is_that_of_the_model_or_of_a_flag(
    tmp_path: Path, llm: str, batch_tokens: int, context: int, tokens: int
) -> None:
    write_model(tmp_path / "own_models/0_qwen", 0.001, QWEN)
    found = estimate(tmp_path, system(f"{llm}:own_models/0_qwen", batch_tokens=batch_tokens, context=context))
    assert found.tokens == tokens


def test_all_small_models_count_and_bundled_ones_that_are_asked_for(tmp_path: Path) -> None:
    models = tmp_path / "pretrained_models"
    write_model(models / "all-MiniLM-L6-v2", 0.09, {})
    write_model(models / "adapters/reader", 0.01, {})
    write_model(models / "smollm2/transformers", 0.27, QWEN)
    write_model(models / "hub/hub/models--a--encoder/snapshots/1", 1.0, {})
    names = {"pretrained_models/all-MiniLM-L6-v2", "pretrained_models/adapters/reader"}
    names |= {"pretrained_models/hub/hub/models--a--encoder/snapshots/1"}
    assert estimate(tmp_path, system()).models.keys() == names
    assert estimate(tmp_path, system("smollm2")).models.keys() == names | {"pretrained_models/smollm2/transformers"}
    assert estimate(tmp_path, system("scripted:answers")).cache == 0


def test_two_language_models_count_both(tmp_path: Path) -> None:
    write_gguf(tmp_path / "own_models/0_m.gguf")
    write_model(tmp_path / "own_models/1_qwen", 1.0, QWEN)
    write_model(tmp_path / "own_models/2_encoder", 1.0, {})
    both = estimate(
        tmp_path, msgspec.structs.replace(system(), llms=["gguf:own_models/0_m.gguf", "hf:own_models/1_qwen"])
    )
    assert both.models.keys() == {"own_models/0_m.gguf", "own_models/1_qwen", "own_models/2_encoder"}
    assert both.tokens == 8192 + 50_000


def test_a_model_of_the_hub_is_found_in_the_cache(tmp_path: Path) -> None:
    write_model(tmp_path / "pretrained_models/hub/hub/models--a--b/snapshots/1", 2.0, QWEN)
    assert sum(estimate(tmp_path, system("a/b")).models.values()) == pytest.approx(2e9, rel=1e-6)


@pytest.mark.parametrize("llm", ["a/b", "smollm2", "qwen2.5-coder-1.5b", "gguf:own_models/m.gguf", "vllm:own_models/m"])
def test_a_missing_model_is_no_small_model(tmp_path: Path, llm: str) -> None:
    with pytest.raises(InputError, match=r"is not there; run installation\.sh"):
        estimate(tmp_path, system(llm))


@pytest.mark.parametrize(
    ("config", "shape"),
    [
        ({"n_layer": 30, "n_head": 32, "hidden_size": 4096}, Shape(30, 32, 128, 0)),
        ({"num_layers": 8, "num_heads": 6, "d_model": 384}, Shape(8, 6, 64, 0)),
        ({"text_config": QWEN, "hidden_size": 7}, Shape(40, 8, 128, 40960)),
    ],
)
def test_configs_of_several_families_are_read(tmp_path: Path, config: dict[str, object], shape: Shape) -> None:
    write_model(tmp_path / "m", 0.001, config)
    assert shape_of(tmp_path / "m") == shape


def test_damaged_models_are_one_line(tmp_path: Path) -> None:
    write_model(tmp_path / "m", 0.001, {"hidden_size": 8})
    with pytest.raises(
        InputError, match=r"config\.json: has no number named num_attention_heads or n_head or num_heads"
    ):
        shape_of(tmp_path / "m")
    (tmp_path / "m/model.safetensors").write_bytes(b"\xff" * 16)
    with pytest.raises(InputError, match="its header is cut"):
        weight_bytes([tmp_path / "m/model.safetensors"], "float16")
    (tmp_path / "m.gguf").write_bytes(b"GGUF" + bytes(100))
    with pytest.raises(InputError, match="the key-value cache cannot be estimated"):
        shape_of(tmp_path / "m.gguf")


@pytest.mark.parametrize("name", ["num_key_value_heads", "head_dim"])
def test_a_number_for_each_layer_is_one_line(tmp_path: Path, name: str) -> None:
    write_model(tmp_path / "m", 0.001, {**QWEN, name: [8, 8]})
    with pytest.raises(InputError, match=f"has no number named {name}"):
        shape_of(tmp_path / "m")


def test_a_gguf_file_that_is_cut_is_one_line(tmp_path: Path) -> None:
    write_gguf(tmp_path / "m.gguf")
    whole = (tmp_path / "m.gguf").read_bytes()
    for length in range(0, len(whole) - 64, 7):
        (tmp_path / "m.gguf").write_bytes(whole[:length])
        with pytest.raises(InputError, match="the key-value cache cannot be estimated"):
            shape_of(tmp_path / "m.gguf")


def test_models_in_all_formats_are_counted(tmp_path: Path) -> None:
    own = tmp_path / "own_models"
    write_model(own / "2_folder", 0.001, {})
    (own / "2_folder/pytorch_model.bin").write_bytes(bytes(10))  # the same weights again
    (own / "3_folder").mkdir()
    (own / "3_folder/model.pt").write_bytes(bytes(20))
    (own / "0_verdict.ckpt").write_bytes(bytes(30))
    (own / "1_ranker.safetensors").write_bytes(bytes(40))
    models = estimate(tmp_path, system()).models
    assert models["own_models"] == 70
    assert models["own_models/3_folder"] == 20
    assert models["own_models/2_folder"] == pytest.approx(1e6, rel=0.01)


def test_quantized_numbers_keep_their_size(tmp_path: Path) -> None:
    header = (
        b'{"__metadata__": {"format": "pt"}, "a": {"dtype": "I32", "shape": [4], "data_offsets": [0, 16]}, '
        b'"b": {"dtype": "F16", "shape": [4], "data_offsets": [16, 24]}}'
    )
    (tmp_path / "m.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(24))
    assert weight_bytes([tmp_path / "m.safetensors"], "float32") == 16 + 16


def test_the_formula_is_that_of_the_docstring() -> None:
    assert Estimate({"a": 10 * 10**9, "b": 2 * 10**9}, 3 * 10**9, 5).total == 19 * 10**9
