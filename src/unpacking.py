"""Decompression with limits on the output, as protection against decompression bombs.

Limitations: the limits apply to each file. A text compressed by more than `MOST_RATIO` must be decompressed by hand.
"""

from typing import Protocol

MOST_BYTES = 1 << 30
MOST_RATIO = 200  # largest decompressed size / compressed size; about 5 for text
ANY_RATIO = 64 << 20  # decompressed bytes up to which the ratio is not checked
_PIECE = 1 << 20


class Readable(Protocol):
    """File object opened for reading bytes."""

    def read(self, size: int, /) -> bytes: ...


def read_unpacked(file: Readable, packed: int) -> bytes:
    """Read and decompress a whole file; `file` decompresses on reading. `packed` is the compressed size in bytes.

    Raises ValueError if the output exceeds MOST_BYTES bytes, or if it exceeds ANY_RATIO bytes and is also larger than
    MOST_RATIO * `packed`. Raises the errors of the file object for damaged data.
    """
    limit = min(MOST_BYTES, max(ANY_RATIO, MOST_RATIO * packed))
    unpacked = bytearray()
    while piece := file.read(_PIECE):
        unpacked += piece
        if len(unpacked) > limit:
            raise ValueError(
                f"its {packed} bytes unpack to more than {limit >> 20} MiB (at most {MOST_RATIO} times the packed size "
                f"and {MOST_BYTES >> 20} MiB are read); if that is meant, unpack it by hand"
            )
    return bytes(unpacked)
