"""Damage of one byte, as a bad disk or a bad copy makes it."""

from random import Random


def damaged(data: bytes, dice: Random) -> bytes:
    """Return the bytes with one that was changed, deleted or inserted; they differ."""
    while True:
        place, byte = dice.randrange(len(data)), bytes([dice.choice([10, 32, dice.randrange(256)])])
        left, right = data[:place], data[place + 1 :]
        found = dice.choice([left + byte + right, left + right, left + byte + data[place:]])
        if found != data:
            return found
