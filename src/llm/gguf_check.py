"""Check that llama.cpp can load a GGUF file, before it is loaded in this process, where it may abort or hang.

The header is read here and compared with the length of the file. A child process with limits then loads the file and
generates a token.

Limitations: the child reads the whole model, which takes as long as loading it. Models of `src/llm/weights.py` and
`larger_weights.py` are recognized by their hashes and are not checked.
"""

import resource
import struct
import subprocess
import sys
from pathlib import Path
from typing import BinaryIO

from src.errors import InputError
from src.llm.larger_weights import LARGER
from src.llm.weights import SMOLLM2

OURS = frozenset(file.sha256 for archive in (SMOLLM2, *LARGER.values()) for file in archive.files)
MAGIC, VERSIONS = b"GGUF", (2, 3)
MOST_ENTRIES = 1_000_000  # keys, or tensors, or values of a list
MOST_TEXT = 1 << 24  # bytes of one text
MOST_DIMENSIONS = 4
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a value, by its type
_TEXT, _LIST = 8, 9

SPARE_MEMORY = 8 << 30  # bytes that the child may map beyond twice the file
SECONDS, BYTES_A_SECOND = 120, 20_000_000  # of the child: this many, and more for a large file
_PROBE = "import sys; from src.llm.gguf_check import probe; probe(sys.argv[1])"


def check_gguf(path: Path, sha256: str) -> None:
    """Raise InputError for a file that is damaged, or that llama.cpp cannot load."""
    if sha256 in OURS:
        return
    check_header(path)
    _probe_apart(path)


def check_header(path: Path) -> None:
    """Raise InputError unless magic, version, counts and sizes in the header fit a GGUF file of this length."""
    size = path.stat().st_size
    with path.open("rb") as file:
        try:
            _Header(file, size).read()
        except (ValueError, struct.error) as error:
            message = f"llama.cpp cannot load it: damaged GGUF header: {error}; fetch the file again"
            raise InputError(message, path=path) from None


class _Header:
    """Reader of a GGUF header. `read` raises ValueError, or struct.error at the file's end."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file, self._size = file, size

    def read(self) -> None:
        if self._file.read(4) != MAGIC:
            raise ValueError("it does not begin with GGUF")
        if (version := self._number("<I")) not in VERSIONS:
            raise ValueError(f"version {version}, known are {', '.join(map(str, VERSIONS))}")
        tensors, keys = self._count(), self._count()
        for _ in range(keys):
            self._text()
            self._skip_value(self._number("<I"))
        furthest = max((self._tensor() for _ in range(tensors)), default=0)
        if not tensors or self._file.tell() + furthest > self._size:
            raise ValueError(f"its tensors lie beyond its {self._size} bytes" if tensors else "it holds no tensor")

    def _tensor(self) -> int:
        """Return the offset of the next tensor's data."""
        self._text()
        dimensions = self._number("<I")
        if dimensions > MOST_DIMENSIONS:
            raise ValueError(f"a tensor of {dimensions} dimensions")
        elements = 1
        for _ in range(dimensions):
            elements *= self._number("<Q")
        if elements > 8 * self._size:  # no format takes less than a bit
            raise ValueError(f"a tensor of {elements} numbers in {self._size} bytes")
        self._number("<I")
        return self._number("<Q")

    def _skip_value(self, kind: int, *, in_list: bool = False) -> None:
        if kind == _TEXT:
            self._text()
        elif kind == _LIST and not in_list:
            inner, count = self._number("<I"), self._count()
            if inner in _SIZES:
                self._skip(count * _SIZES[inner])
            else:
                for _ in range(count):
                    self._skip_value(inner, in_list=True)
        elif kind in _SIZES:
            self._skip(_SIZES[kind])
        else:
            raise ValueError(f"unknown type {kind} of a value")

    def _count(self) -> int:
        count = self._number("<Q")
        if count > MOST_ENTRIES:
            raise ValueError(f"{count} entries")
        return count

    def _text(self) -> None:
        length = self._number("<Q")
        if length > MOST_TEXT:
            raise ValueError(f"a text of {length} bytes")
        self._skip(length)

    def _number(self, form: str) -> int:
        found: tuple[int] = struct.unpack(form, self._file.read(struct.calcsize(form)))
        return found[0]

    def _skip(self, length: int) -> None:
        if self._file.tell() + length > self._size:
            raise ValueError(f"it ends within its header, after {self._size} bytes")
        self._file.seek(length, 1)


def _probe_apart(path: Path) -> None:
    size = path.stat().st_size
    seconds = SECONDS + size // BYTES_A_SECOND
    command = [sys.executable, "-c", _PROBE, str(path.absolute())]
    try:
        done = subprocess.run(
            command, cwd=Path(__file__).parents[2], capture_output=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise InputError(f"llama.cpp cannot load it: it did not answer in {seconds} s", path=path) from None
    if done.returncode:
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["nothing was said"])[-1]
        how = f"ended by signal {-done.returncode}" if done.returncode < 0 else last[:300]
        raise InputError(f"llama.cpp cannot load it: {how}; fetch the file again", path=path)


def probe(name: str) -> None:
    """Load the file and generate a token, in a process of its own, which may die. Raises what xllamacpp raises."""
    import xllamacpp

    most = 2 * Path(name).stat().st_size + SPARE_MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    params = xllamacpp.CommonParams()
    params.model.path = name
    params.n_parallel, params.n_ctx = 1, 64
    params.verbosity, params.warmup, params.ui = 0, False, False
    server = xllamacpp.Server(params)
    server.handle_completions({"prompt": "A", "max_tokens": 1})
