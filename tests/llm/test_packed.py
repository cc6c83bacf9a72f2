"""Linear maps with packed weights: products as with plain weights, and rows that do not depend on the others."""

import pytest
import torch
from torch.nn.functional import linear, silu

from src.llm.packed import FEW, MANY, SOME, LinearMap, can_pack

WEIGHT = torch.randn(96, 64, generator=torch.Generator().manual_seed(0)) / 8
ROWS = torch.randn(2 * MANY, 64, generator=torch.Generator().manual_seed(1))
OTHER = torch.randn(2 * MANY, 96, generator=torch.Generator().manual_seed(2))
needs_packing = pytest.mark.skipif(not can_pack(WEIGHT.bfloat16()), reason="oneDNN cannot pack weights here")


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("count", [FEW, SOME, 2 * MANY])
def test_products_are_those_of_plain_weights(dtype: torch.dtype, count: int) -> None:
    rows, other, weight = (one.to(dtype) for one in (ROWS[:count], OTHER[:count], WEIGHT))
    maps, plain = LinearMap(weight), linear(rows.float(), weight.float())
    with torch.inference_mode():
        for found, expected in [
            (maps(rows), plain),
            (maps.silu(rows), silu(plain)),
            (maps.combined(rows, other, "add"), plain + other.float()),
            (maps.combined(rows, other, "mul"), plain * other.float()),
        ]:
            torch.testing.assert_close(found.float(), expected, atol=0.02, rtol=0.02)


@needs_packing
def test_rows_are_filled_up_to_whole_blocks() -> None:
    packed, plain = LinearMap(WEIGHT.bfloat16()), LinearMap(WEIGHT)
    counts = (1, FEW, FEW + 1, SOME, SOME + 1, MANY, MANY + 1)
    assert [packed.rows_for(count) for count in counts] == [FEW, FEW, 2 * FEW, SOME, MANY, MANY, 2 * MANY]
    assert [plain.rows_for(count) for count in counts] == list(counts)


@needs_packing
def test_a_row_does_not_depend_on_the_other_rows() -> None:
    packed = LinearMap(WEIGHT.bfloat16())
    rows = ROWS.bfloat16()
    with torch.inference_mode():
        for count in (FEW, SOME):
            alone = torch.zeros_like(rows[:count])
            alone[3] = rows[3]
            assert torch.equal(packed(rows[:count])[3], packed(alone)[3])
        assert torch.equal(packed(rows)[MANY + 5], packed(rows[MANY:])[5])
