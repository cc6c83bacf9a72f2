"""Damage of one byte, as by a bad disk or a bad copy."""

from random import Random


def damaged(data: bytes, dice: Random) -> bytes:
    """Return the bytes with one byte changed, deleted or inserted; the result differs from `data`."""
    while True:
        place, byte = dice.randrange(len(data)), bytes([dice.choice([10, 32, dice.randrange(256)])])
        left, right = data[:place], data[place + 1 :]
        damaged = dice.choice([left + byte + right, left + right, left + byte + data[place:]])
        if damaged != data:
            return damaged
