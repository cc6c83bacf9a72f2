"""A quick check of a published checkpoint, for use before hours of other work.

Limitations: only the file format is checked. Nothing is loaded, so a damaged weight is found later.
"""

from pathlib import Path

from src.errors import InputError
from src.models.bert_files import weights_file
from src.models.checkpoint import check_zip

LENGTH = 8  # bytes at the beginning of a safetensors file; a JSON object follows


def lacking(source: str) -> str:
    """Return the fault of a .ckpt, or of the weights in a converted folder; "" if the format is right."""
    try:
        weights = weights_file(Path(source))
        if weights == Path(source):
            check_zip(weights)
        else:
            _check_safetensors(weights)
    except InputError as error:
        return str(error)
    return ""


def _check_safetensors(path: Path) -> None:
    with path.open("rb") as file:
        head = file.read(LENGTH + 1)
    if head[LENGTH:] != b"{":
        raise InputError("damaged, or not a file of safetensors", path=path)
