"""Whether a published checkpoint can be one: asked before hours of other work.

Limitations: only the form of the file is looked at, nothing is loaded, so a damaged weight is found later.
"""

from pathlib import Path

from src.errors import InputError
from src.models.bert_files import weights_file
from src.models.checkpoint import check_zip

LENGTH = 8  # bytes at the beginning of a safetensors file; a JSON object follows


def lacking(source: str) -> str:
    """Return what is wrong with a .ckpt, or with the weights in a converted folder; "" where they have the form."""
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
