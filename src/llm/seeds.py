"""Seeds of samples, which depend on the prompt only, so that a resumed run draws the same answers."""

import hashlib


def seed_of(prompt: str, number: int) -> int:
    """Return the seed of the sample at index `number` (from 0) for a prompt."""
    digest = hashlib.sha256(f"{number}\n{prompt}".encode()).digest()
    return int.from_bytes(digest[:4]) >> 1  # 31 bits, which every engine accepts
