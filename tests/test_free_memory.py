"""Large blocks are mapped alone once this was asked for: the next one after a freed one, too."""

import subprocess
import sys

import pytest

SCRIPT = """
import ctypes, sys
from src.free_memory import map_large_blocks
if sys.argv[1] == "asked": map_large_blocks()
libc = ctypes.CDLL(None)
class Info(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks",
        "fsmblks", "uordblks", "fordblks", "keepcost")]
libc.mallinfo2.restype = Info
before = libc.mallinfo2().hblks
block = bytearray(8_000_000)
del block
block = bytearray(6_000_000)
print(libc.mallinfo2().hblks - before)
"""


@pytest.mark.parametrize(("asked", "mapped"), [("asked", 1), ("not asked", 0)])
def test_large_blocks_are_mapped_alone(asked: str, mapped: int) -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT, asked], capture_output=True, text=True, check=False)
    if "mallinfo2" in done.stderr:
        pytest.skip("this C library has no mallinfo2")
    assert done.stdout == f"{mapped}\n"
