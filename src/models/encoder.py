"""Loader of sentence encoders: the bundled all-MiniLM-L6-v2, or any sentence-transformers model by folder or name.

`mpnet` names the all-mpnet-base-v2 that `python -m src.llm.fetch mpnet` fetches.
"""

from src.errors import InputError
from src.llm.extras import require
from src.llm.weights import MPNET, PRETRAINED, is_there
from src.models.sentence_encoder import Dtype, SentenceEncoder


def load_encoder(name: str | None = None, *, dtype: Dtype | None = None) -> SentenceEncoder:
    """Return the bundled encoder (None), or the one of a sentence-transformers folder or of a hub's name.

    The bundled encoder runs on the CPU in `dtype`. The default is bfloat16 where the processor computes in it, else
    float32. Other encoders run in sentence-transformers in their own number format, on a GPU where there is one.

    Raises InputError when there is no such model or it has a `dtype`, MissingExtra when the bundled model or a package
    is not installed.
    """
    if name is None:
        from src.models.encoder_bundled import load_bundled

        return load_bundled(dtype)
    if dtype is not None:
        raise InputError(f"the encoder {name} runs in its own number format, not in {dtype}")
    require("sentence_transformers", f"the encoder {name}")
    if name == MPNET.name:
        if not is_there(MPNET):
            raise MPNET.missing()
        name = str(PRETRAINED / MPNET.folder)
    from src.models.encoder_library import load_library

    return load_library(name)
