"""Size of models on a GPU, read from their files: weights, and keys and values of a token."""

from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any, NamedTuple

from src.errors import InputError
from src.llm.loading import WIDTH
from src.llm.tensor_file import Entry, read_header
from src.store import read_json

CONFIG = "config.json"
SUFFIXES = (".safetensors", ".bin", ".gguf", ".ckpt", ".pt")
_FLOATS = {"F64": 8, "F32": 4, "F16": 2, "BF16": 2}
# Names of the same number in the configs of several families.
_LAYERS = ("num_hidden_layers", "n_layer", "num_layers")
_HEADS = ("num_attention_heads", "n_head", "num_heads")
_WIDTHS = ("hidden_size", "n_embd", "d_model")
_SHARED_HEADS, _WIDTH = "num_key_value_heads", "head_dim"
_CONTEXT = ("max_position_embeddings", "n_positions", "seq_length")


class Shape(NamedTuple):
    """What the cache of keys and values depends on.

    `layers`, `heads`, `width`: layers, heads of keys and values in each, numbers in a head.
    `context`: the longest sequence in tokens; 0 if the config has no limit.
    """

    layers: int
    heads: int
    width: int
    context: int

    def token_bytes(self, number_width: int) -> int:
        """Return the bytes of a token's keys and values; a number has `number_width` bytes."""
        return 2 * self.layers * self.heads * self.width * number_width


def files_with_weights(folder: Path) -> list[Path]:
    """Return all files of weights in a folder, not in subfolders."""
    return [one for one in sorted(folder.glob("*")) if one.suffix in SUFFIXES and one.name != "training_args.bin"]


def weight_files(path: Path) -> list[Path]:
    """Return the files of weights of a model: itself if it is a file, else those in the folder, not in subfolders."""
    if path.is_file():
        return [path]
    files = files_with_weights(path)
    safe = [one for one in files if one.suffix == ".safetensors"]
    return safe or files  # a repository may have the same weights in two formats


def weight_bytes(files: Iterable[Path], dtype: str = "") -> int:
    """Return the bytes of the weights in files; `dtype`: number format of floating-point numbers, "" as in the file.

    Raises InputError for a damaged file.
    """
    return sum(_file_bytes(one, WIDTH.get(dtype, 0)) for one in files)


def _file_bytes(path: Path, width: int) -> int:
    if path.suffix != ".safetensors" or not width:
        return path.stat().st_size
    return sum(_tensor_bytes(tensor, width) for tensor in read_header(path).entries.values())


def _tensor_bytes(tensor: Entry, width: int) -> int:
    if tensor.dtype in _FLOATS:
        return prod(tensor.shape) * width
    return tensor.data_offsets[1] - tensor.data_offsets[0]


def shape_of(path: Path) -> Shape:
    """Return the shape of a language model, by its config.json or the header of its GGUF file. Raises InputError."""
    return _gguf_shape(path) if path.is_file() else _config_shape(path / CONFIG)


def _config_shape(path: Path) -> Shape:
    config = read_json(path, dict[str, Any])
    nested = config.get("text_config")
    values = {**config, **nested} if isinstance(nested, dict) else config
    heads = _number(values, _HEADS, path)
    shared = _number(values, (_SHARED_HEADS,), path) if values.get(_SHARED_HEADS) else heads
    width = _number(values, (_WIDTH,), path) if values.get(_WIDTH) else _number(values, _WIDTHS, path) // heads
    context = next((values[name] for name in _CONTEXT if isinstance(values.get(name), int)), 0)
    return Shape(_number(values, _LAYERS, path), shared, width, context)


def _number(values: Mapping[str, Any], names: tuple[str, ...], path: Path) -> int:
    for name in names:
        if isinstance(values.get(name), int) and values[name] > 0:
            return int(values[name])
    raise InputError(f"has no number named {' or '.join(names)}: the key-value cache cannot be estimated", path=path)


def _gguf_shape(path: Path) -> Shape:
    import gguf

    try:
        fields = gguf.GGUFReader(path).fields
        family = fields["general.architecture"].contents()
        values = {name.removeprefix(f"{family}."): field for name, field in fields.items()}
        heads = int(values["attention.head_count"].contents())
        kept = values.get("attention.head_count_kv")
        width = values.get("attention.key_length")
        return Shape(
            int(values["block_count"].contents()),
            int(kept.contents()) if kept else heads,
            int(width.contents()) if width else int(values["embedding_length"].contents()) // heads,
            int(values["context_length"].contents()),
        )
    except (IndexError, KeyError, ValueError, TypeError) as error:
        raise InputError(f"the key-value cache cannot be estimated: {error}", path=path) from None
