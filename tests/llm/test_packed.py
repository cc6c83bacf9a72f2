"""Linear layers that are laid out once: the same products, and what others read of a layer is still there."""

from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM

from src.llm import Options
from src.llm.loading import computes_bfloat16, load_pretrained
from src.llm.packed import Blocks, PackedLinear, pack
from tests.tiny_models import make_causal

IDS = torch.tensor([[5, 6, 7, 8]])

pytestmark = pytest.mark.skipif(not computes_bfloat16("cpu"), reason="this processor does not compute in bfloat16")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("causal") / "tiny")


@pytest.mark.parametrize("rows", [1, 2, 7, 64, 300])
@pytest.mark.parametrize("bias", [False, True])
def test_products_are_the_same_to_the_bit(rows: int, bias: bool) -> None:
    torch.manual_seed(rows)
    layer = nn.Linear(96, 160, bias=bias).bfloat16()
    inputs = torch.randn(rows, 1, 96).bfloat16()
    with torch.inference_mode():
        assert torch.equal(PackedLinear(layer, read_elsewhere=False)(inputs), layer(inputs))


def test_a_rows_product_is_the_same_whatever_stands_beside_it() -> None:
    torch.manual_seed(0)
    layer = nn.Linear(1536, 384).bfloat16()
    rows = torch.randn(600, 1536).bfloat16()
    with torch.inference_mode():
        blocks = Blocks(layer.weight, layer.bias)
        whole = blocks(rows)
        for first, count in ((0, 1), (7, 33), (100, 256), (255, 300)):
            assert torch.equal(blocks(rows[first : first + count]), whole[first : first + count])
        assert blocks(rows.view(3, 200, 1536)).shape == (3, 200, 384)
        torch.testing.assert_close(whole, layer(rows), atol=0.02, rtol=0.02)


def test_a_model_says_the_same(base: Path) -> None:
    plain, packed = (AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).eval() for _ in range(2))
    pack(packed)
    layers = [layer for layer in packed.modules() if isinstance(layer, PackedLinear)]
    assert len(layers) == sum(type(layer) is nn.Linear for layer in plain.modules())
    assert not any(type(layer) is nn.Linear for layer in packed.modules())
    with torch.inference_mode():
        assert torch.equal(packed(IDS).logits, plain(IDS).logits)
    head, embedded = packed.get_output_embeddings(), packed.get_input_embeddings()
    assert not head.weight.is_meta
    assert not embedded.weight.is_meta
    assert layers[0].weight.is_meta
    assert packed.dtype is torch.bfloat16
    assert packed.device.type == "cpu"


def test_only_bfloat16_is_packed(base: Path) -> None:
    for dtype, packed in (("float32", False), ("bfloat16", True)):
        model = load_pretrained(str(base), Options(dtype=dtype, device="cpu")).model
        assert any(isinstance(layer, PackedLinear) for layer in model.modules()) is packed


def test_a_torch_without_these_operators_runs_as_it_is(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16)
    pack(model)
    assert not any(isinstance(layer, PackedLinear) for layer in model.modules())
