"""Decompression in pieces, which stops when the output is larger than any plausible file.

Limitations: the limits are for one file. A text compressed by more than `MOST_RATIO` has to be unpacked by hand.
"""

from typing import Protocol

MOST_BYTES = 1 << 30
MOST_RATIO = 200  # times the packed size; text is packed to about a fifth
ANY_RATIO = 64 << 20  # bytes up to which the ratio does not matter
_PIECE = 1 << 20


class Readable(Protocol):
    """A file object."""

    def read(self, size: int, /) -> bytes: ...


def read_unpacked(file: Readable, packed: int) -> bytes:
    """Return all that a file object unpacks from `packed` bytes.

    Raises ValueError beyond the limits, and what the file object raises for damaged bytes.
    """
    limit = min(MOST_BYTES, max(ANY_RATIO, MOST_RATIO * packed))
    found = bytearray()
    while piece := file.read(_PIECE):
        found += piece
        if len(found) > limit:
            raise ValueError(
                f"its {packed} bytes unpack to more than {limit >> 20} MiB (at most {MOST_RATIO} times the packed size "
                f"and {MOST_BYTES >> 20} MiB are read); if that is meant, unpack it by hand"
            )
    return bytes(found)
