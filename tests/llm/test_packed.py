"""Linear layers that are laid out once: the same products, and what others read of a layer is still there."""

from functools import partial
from pathlib import Path

import pytest
import torch
from torch import nn
from transformers import AutoModelForCausalLM

from src.llm import Options
from src.llm.loading import computes_bfloat16, load_pretrained
from src.llm.packed import READ_ROWS, STEP_ROWS, Blocks, PackedLinear, pack
from tests.tiny_models import make_causal

IDS = torch.tensor([[5, 6, 7, 8]])

pytestmark = pytest.mark.skipif(not computes_bfloat16("cpu"), reason="this processor does not compute in bfloat16")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("causal") / "tiny")


@pytest.mark.parametrize("bias", [False, True])
def test_the_products_are_those_of_the_layer(bias: bool) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(96, 160, bias=bias).bfloat16()
    inputs = torch.randn(STEP_ROWS, 1, 96).bfloat16()
    with torch.inference_mode():
        assert torch.equal(PackedLinear(layer, read_elsewhere=False)(inputs), layer(inputs))


@pytest.mark.parametrize("size", [STEP_ROWS, READ_ROWS])
def test_a_rows_product_is_the_same_whatever_stands_beside_it(size: int) -> None:
    torch.manual_seed(0)
    layer = nn.Linear(1536, 384).bfloat16()
    rows = torch.randn(600, 1536).bfloat16()
    with torch.inference_mode():
        blocks = partial(Blocks(layer.weight, layer.bias), size=size)
        whole = blocks(rows)
        for first, count in ((0, 1), (7, 33), (100, 256), (255, 300)):
            assert torch.equal(blocks(rows[first : first + count]), whole[first : first + count])
        assert blocks(rows.view(3, 200, 1536)).shape == (3, 200, 384)
        torch.testing.assert_close(whole, layer(rows), atol=0.02, rtol=0.02)


def test_a_product_has_always_as_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    product = Blocks._product

    def noted(self: Blocks, block: torch.Tensor) -> torch.Tensor:
        sizes.append(len(block))
        return product(self, block)

    monkeypatch.setattr(Blocks, "_product", noted)
    packed = PackedLinear(nn.Linear(96, 160).bfloat16(), read_elsewhere=False)
    with torch.inference_mode():
        for rows, tokens in ((3, 1), (70, 1), (2, 40), (9, 30)):
            assert packed(torch.randn(rows, tokens, 96).bfloat16()).shape == (rows, tokens, 160)
    assert sizes == [STEP_ROWS, STEP_ROWS, STEP_ROWS, READ_ROWS, READ_ROWS, READ_ROWS]


def test_a_model_says_the_same(base: Path) -> None:
    plain, packed = (AutoModelForCausalLM.from_pretrained(base, dtype=torch.bfloat16).eval() for _ in range(2))
    pack(packed)
    layers = [layer for layer in packed.modules() if isinstance(layer, PackedLinear)]
    assert len(layers) == sum(type(layer) is nn.Linear for layer in plain.modules())
    assert not any(type(layer) is nn.Linear for layer in packed.modules())
    with torch.inference_mode():
        torch.testing.assert_close(packed(IDS).logits, plain(IDS).logits, atol=0.02, rtol=0.02)
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
