"""Cuts rows of unequal length into batches: sorted by length, so that little is padded."""

from collections.abc import Sequence


def sub_batches(lengths: Sequence[int], rows: int, tokens: int) -> list[list[int]]:
    """Indices of `lengths` in batches of at most `rows` rows and, padded to the longest, at most `tokens` tokens.

    A row longer than `tokens` gets a batch of its own. Equal lengths keep their order, so that the cuts depend on
    nothing but the lengths.
    """
    batches: list[list[int]] = []
    for index in sorted(range(len(lengths)), key=lambda place: (lengths[place], place)):
        last = batches[-1] if batches else []
        if last and len(last) < rows and (len(last) + 1) * lengths[index] <= tokens:
            last.append(index)
        else:
            batches.append([index])
    return batches
