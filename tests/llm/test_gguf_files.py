"""GGUF files: damaged ones are refused before llama.cpp loads them; adapters are converted."""

import random
import struct
from pathlib import Path

import gguf
import numpy as np
import pytest

from src.errors import InputError
from src.llm import gguf_files
from src.llm.adapter import read_adapter, split
from src.llm.gguf_files import check_gguf, check_header, lora_gguf
from src.llm.weights import SMOLLM2
from tests.llm.adapters import make_adapter
from tests.tiny_models import make_causal


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def header(*, tensors: int = 1, keys: int = 3, version: int = 3, rows: int = 4, offset: int = 0) -> bytes:
    names = struct.pack("<IIQ", 9, 8, 2) + text(b"a") + text(b"b")
    values = [struct.pack("<II", 4, 7), names, struct.pack("<IIQ", 9, 6, 2) + bytes(8)]
    pairs = b"".join(text(b"key") + value for value in values)
    tensor = text(b"t.weight") + struct.pack("<IQQIQ", 2, rows, 1, 0, offset)
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys) + pairs + tensor


def refusal(path: Path) -> str:
    """Return why the header is refused; "" if it is accepted."""
    try:
        check_header(path)
    except InputError as error:
        return str(error)
    return ""


def test_an_unpacked_model_can_be_read_by_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def write_privately(_: Path, folder: Path) -> None:
        folder.mkdir()
        (folder / "model.safetensors").touch(0o600)

    monkeypatch.setattr(gguf_files, "convert_gguf", write_privately)
    parent = tmp_path / SMOLLM2.folder
    parent.mkdir()
    (parent / "new").touch()
    assert gguf_files.unpack(SMOLLM2, tmp_path)
    model = parent / gguf_files.COPY / "model.safetensors"
    assert model.stat().st_mode == (parent / "new").stat().st_mode


def test_a_header_that_is_right(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(header() + bytes(16))
    assert refusal(path) == ""


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "does not begin with GGUF"),
        (b"GGUF", "unpack requires a buffer"),
        (header(version=9) + bytes(16), "version 9, known are 2, 3"),
        (header(keys=1 << 60) + bytes(16), "1152921504606846976 entries"),
        (header(tensors=1 << 60) + bytes(16), "entries"),
        (header(tensors=0) + bytes(16), "holds no tensor"),
        (header(rows=1 << 62) + bytes(16), "a tensor of 4611686018427387904 numbers"),
        (header(offset=1 << 40) + bytes(16), "its tensors lie beyond its"),
        (header()[:60], "a text of|unpack requires|ends within its header"),
        (header().replace(text(b"key"), text(b"k" * 9)[:8] + b"key", 1), "."),
        (header().replace(b"\x09\x00\x00\x00\x08", b"\x0f\x00\x00\x00\x08"), "unknown type 15 of a value"),
    ],
)
def test_headers_that_are_damaged(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(data)
    with pytest.raises(InputError, match=rf"m.gguf: llama.cpp cannot load it: damaged GGUF header: .*(?:{message})"):
        check_header(path)


@pytest.mark.parametrize("seed", range(200))
def test_any_bytes_are_a_header_or_an_error(tmp_path: Path, seed: int) -> None:
    path = tmp_path / "m.gguf"
    draw, data = random.Random(seed), bytearray(header() + bytes(16))
    for _ in range(draw.randint(1, 4)):
        data[draw.randrange(len(data))] = draw.randrange(256)
    path.write_bytes(data[: draw.randint(0, len(data))] if draw.random() < 0.3 else data)
    why = refusal(path)
    assert not why or "m.gguf: llama.cpp cannot load it: damaged GGUF header: " in why


@pytest.mark.parametrize(
    ("probe", "message"),
    [
        ("import os; os.abort()", "ended by signal 6"),
        ("raise RuntimeError('no such architecture')", "RuntimeError: no such architecture"),
        ("while True: pass", "it did not answer in 1 s"),
    ],
)
def test_what_kills_or_hangs_llamacpp(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probe: str, message: str
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(header() + bytes(16))
    monkeypatch.setattr(gguf_files, "_PROBE", probe)
    if message.endswith("1 s"):
        monkeypatch.setattr(gguf_files, "SECONDS", 1)
    with pytest.raises(InputError, match=f"m.gguf: llama.cpp cannot load it: {message}"):
        check_gguf(path, "other")


def test_what_llamacpp_does_not_take(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(header() + bytes(16))
    with pytest.raises(InputError, match=r"m\.gguf: llama\.cpp cannot load it: "):
        check_gguf(path, "other")


def test_our_own_is_known_by_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    monkeypatch.setattr(gguf_files, "check_header", read.append)
    monkeypatch.setattr(gguf_files, "_probe_apart", read.append)
    check_gguf(tmp_path / "m.gguf", SMOLLM2.files[0].sha256)
    assert read == []
    check_gguf(tmp_path / "m.gguf", "other")
    assert read == [tmp_path / "m.gguf"] * 2


def base_of(folder: Path, family: str) -> Path:
    """Write a GGUF file without weights that names its model family and its numbers of heads."""
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
    reader = gguf.GGUFReader(lora_gguf(read, base_of(tmp_path, family)))
    held = {tensor.name: tensor.data for tensor in reader.tensors}
    _, up = split(read)[0]["model.layers.1.self_attn.q_proj"]
    same = np.array_equal(held["blk.1.attn_q.weight.lora_b"], up.float().numpy())
    assert same is not turned
    assert np.array_equal(np.sort(held["blk.1.attn_q.weight.lora_b"], 0), np.sort(up.float().numpy(), 0))
    _, value = split(read)[0]["model.layers.1.self_attn.v_proj"]
    assert np.array_equal(held["blk.1.attn_v.weight.lora_b"], value.float().numpy())


def test_other_families_are_refused(adapter: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="llama or qwen2 alone, this is gemma"):
        lora_gguf(read_adapter(adapter), base_of(tmp_path, "gemma"))
