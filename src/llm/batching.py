"""Batches of rows of unequal length: sorted by length, so there is little padding, and as padded tensors."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def sub_batches(lengths: Sequence[int], rows: int, tokens: int) -> list[list[int]]:
    """Group rows of these lengths into batches, as lists of row indices.

    A batch has at most `rows` rows and, with padding, at most `tokens` tokens. A row longer than `tokens` gets a batch
    of its own. Rows of equal length keep their order, so the batches depend only on the lengths.
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda row: (lengths[row], row)):
        last = batches[-1] if batches else []
        if last and len(last) < rows and (len(last) + 1) * lengths[index] <= tokens:
            last.append(index)
        else:
            batches.append([index])
    return batches


def left_padded(rows: Sequence[Sequence[int]], pad: int, device: "torch.device") -> "tuple[torch.Tensor, torch.Tensor]":
    """Return token ids and attention mask, both of shape (rows, longest row), with padding before the tokens."""
    import torch

    width = max(map(len, rows))
    ids = [[pad] * (width - len(row)) + list(row) for row in rows]
    mask = [[0] * (width - len(row)) + [1] * len(row) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)


def right_padded(
    rows: Sequence[Sequence[int]], pad: int, device: "torch.device"
) -> "tuple[torch.Tensor, torch.Tensor]":
    """Return token ids and attention mask, both of shape (rows, longest row), with padding after the tokens.

    At least one row must have a token.
    """
    import torch

    width = max(map(len, rows))
    ids = [list(row) + [pad] * (width - len(row)) for row in rows]
    mask = [[1] * len(row) + [0] * (width - len(row)) for row in rows]
    return torch.tensor(ids, device=device), torch.tensor(mask, device=device)
