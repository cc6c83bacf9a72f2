"""Batches of rows of unequal length: sorted by length, so there is little padding."""

from collections.abc import Sequence


def sub_batches(lengths: Sequence[int], rows: int, tokens: int) -> list[list[int]]:
    """Return indices of `lengths` in batches of at most `rows` rows and, with padding, at most `tokens` tokens.

    A row longer than `tokens` gets a batch of its own. Equal lengths keep their order, so the batches depend on the
    lengths only.
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda place: (lengths[place], place)):
        last = batches[-1] if batches else []
        if last and len(last) < rows and (len(last) + 1) * lengths[index] <= tokens:
            last.append(index)
        else:
            batches.append([index])
    return batches
