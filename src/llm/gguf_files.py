"""GGUF files, the format of llama.cpp: a check before loading, a copy for transformers, adapters.

`check_gguf` checks a file before llama.cpp loads it, since llama.cpp may abort or hang on a damaged file. The header is
compared with the length of the file. A child process with limits then loads the file and generates a token.

`unpack` converts a file into a folder that transformers loads fast (from GGUF it takes ten seconds or more).

`lora_gguf` converts an adapter, once, into a file next to its base; llama.cpp adds it to the base at run time. For the
llama family, the rows of B for queries and keys are put in llama.cpp's order. llama.cpp rotates neighboring numbers of
a head together (RoPE), while transformers rotates numbers half a head apart. For Qwen2 both do the latter.

Limitations: the check reads the whole model, which takes as long as loading it; models of `src/llm/weights.py` are
recognized by their hashes and are not checked. Unpacking holds the whole model in memory. Adapters are for the llama
and Qwen2 families only, and the linear layers inside their blocks.
"""

import io
import re
import resource
import struct
import subprocess
import sys
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any, BinaryIO

from src.atomic_folder import open_to_others
from src.errors import InputError, require
from src.llm.adapter import Adapter, split
from src.llm.download import locked, place, workshop
from src.llm.loading import computes_bfloat16, silence
from src.llm.weights import LARGER, PRETRAINED, SMOLLM2, Archive

OURS = frozenset(file.sha256 for archive in (SMOLLM2, *LARGER.values()) for file in archive.files)
MAGIC, VERSIONS = b"GGUF", (2, 3)
MOST_ENTRIES = 1_000_000  # keys, or tensors, or values of a list
MOST_TEXT = 1 << 24  # bytes of one text
MOST_DIMENSIONS = 4
_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}  # bytes of a value, by its type
_TEXT, _LIST = 8, 9

SPARE_MEMORY = 8 << 30  # bytes that the child may map beyond twice the file
SECONDS, BYTES_A_SECOND = 120, 20_000_000  # of the child: this many, and more for a large file
_PROBE = "import sys; from src.llm.gguf_files import probe; probe(sys.argv[1])"


def check_gguf(path: Path, sha256: str) -> None:
    """Raise InputError for a GGUF file that is damaged, or that llama.cpp cannot load.

    A file whose hash is in `src/llm/weights.py` is not checked.
    """
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
        values: tuple[int] = struct.unpack(form, self._file.read(struct.calcsize(form)))
        return values[0]

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
        last = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
        reason = f"ended by signal {-done.returncode}" if done.returncode < 0 else last[:300]
        raise InputError(f"llama.cpp cannot load it: {reason}; fetch the file again", path=path)


def probe(name: str) -> None:
    """Load the file `name` and generate a token; runs in a child process, which may die. Raises xllamacpp's errors."""
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


COPY = "transformers"  # the folder beside the GGUF file


def unpack(archive: Archive, root: Path = PRETRAINED) -> bool:
    """Create a model's copy for transformers, atomically; return False if it existed. Raises MissingExtra."""
    target = root / archive.folder / COPY
    if target.is_dir():
        return False
    require("torch", archive.name)
    require("transformers", archive.name)
    with locked(target), workshop(target) as folder:
        convert_gguf(root / archive.folder / archive.files[0].path, folder / "model")
        open_to_others(folder / "model")
        place(folder / "model", target)
    return True


def convert_gguf(gguf: Path, folder: Path) -> None:
    """Convert a GGUF file to a transformers folder: weights, config and tokenizer.

    The number format is bfloat16 if this CPU computes in it, else float32.
    """
    require("gguf", "unpacking a GGUF file")
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    silence()
    dtype = torch.bfloat16 if computes_bfloat16("cpu") else torch.float32
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    with redirect_stderr(io.StringIO()):  # a progress bar that cannot be switched off
        model = AutoModelForCausalLM.from_pretrained(
            gguf.parent, gguf_file=gguf.name, dtype=dtype, quantization_config=GgufConfig(dequantize=True)
        )
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


LAYER = re.compile(r"model\.layers\.(\d+)\.\w+\.(\w+)")
LLAMA = "llama"
FAMILIES = (LLAMA, "qwen2")
NAMES = {
    "q_proj": "attn_q",
    "k_proj": "attn_k",
    "v_proj": "attn_v",
    "o_proj": "attn_output",
    "gate_proj": "ffn_gate",
    "up_proj": "ffn_up",
    "down_proj": "ffn_down",
}


def lora_gguf(adapter: Adapter, base: Path) -> Path:
    """Return the adapter's GGUF file, created if needed.

    Raises InputError if the base's model family or an adapted layer is not supported.
    """
    target = base.parent / "adapters" / f"{adapter.sha256[:16]}.gguf"
    if target.is_file():
        return target
    for package in ("gguf", "torch", "safetensors"):
        require(package, "an adapter on llama.cpp")
    with locked(target), workshop(target) as folder:
        _convert(adapter, base, folder / "adapter.gguf")
        place(folder / "adapter.gguf", target)
    return target


def _convert(adapter: Adapter, base: Path, target: Path) -> None:
    import gguf

    reader = gguf.GGUFReader(base)
    family = reader.fields["general.architecture"].contents()
    if family not in FAMILIES:
        raise InputError(f"an adapter can be put on {' or '.join(FAMILIES)} alone, this is {family}", path=base)
    heads = {
        name: int(reader.fields[f"{family}.attention.{count}"].contents())
        for name, count in (("q_proj", "head_count"), ("k_proj", "head_count_kv"))
        if family == LLAMA
    }
    writer = gguf.GGUFWriter(target, family)
    writer.add_type("adapter")
    writer.add_string(gguf.Keys.Adapter.TYPE, "lora")
    pairs, whole = split(adapter)
    if whole:
        raise InputError(f"{next(iter(whole))} was trained whole, which llama.cpp cannot lay over", path=adapter.folder)
    ranks = {down.shape[0] for down, _ in pairs.values()}
    writer.add_float32(gguf.Keys.Adapter.LORA_ALPHA, adapter.config.scaling * max(ranks))
    for name, (down, up) in pairs.items():
        match = LAYER.fullmatch(name)
        if match is None or match[2] not in NAMES:
            raise InputError(f"llama.cpp has no layer {name}", path=adapter.folder)
        inside = f"blk.{match[1]}.{NAMES[match[2]]}.weight"
        if match[2] in heads:
            up = _neighbours(up, heads[match[2]])
        writer.add_tensor(f"{inside}.lora_a", down.float().contiguous().numpy())
        writer.add_tensor(f"{inside}.lora_b", up.float().contiguous().numpy())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _neighbours(up: Any, heads: int) -> Any:
    """Return the rows of B in llama.cpp's order: in each head, rows half a head apart become neighbors."""
    width = up.shape[0] // heads
    return up.reshape(heads, 2, width // 2, up.shape[1]).transpose(1, 2).reshape(up.shape)
