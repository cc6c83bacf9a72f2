"""Loader of the tokenizer of bert-base-uncased, which a published checkpoint needs and does not contain.

The vocabulary of the bundled all-MiniLM-L6-v2 equals that of bert-base-uncased entry for entry (30,522 word pieces,
lower case). If it is installed, its file is used and no network is needed. Otherwise bert-base-uncased is fetched from
the model hub.
"""

from pathlib import Path
from typing import Any

from src.errors import InputError
from src.llm.weights import MINILM, PRETRAINED

BASE = "bert-base-uncased"


def base_tokenizer(base: str | None, rows: int) -> Any:
    """Return the tokenizer for a BERT whose embedding has `rows` rows.

    `base` is a folder or a hub's name; None means bert-base-uncased. Raises InputError when there is no tokenizer, or
    its vocabulary has another size.
    """
    vocab = Path(base or PRETRAINED / MINILM.folder) / "vocab.txt"
    tokenizer = _from_vocab(vocab) if base is None and vocab.is_file() else _from_pretrained(base or BASE)
    if len(tokenizer) != rows:
        sizes = f"{len(tokenizer)} entries, the checkpoint's embedding {rows} rows"
        hint = "name the model that it was trained from with --base"
        raise InputError(f"the vocabulary of {base or BASE} has {sizes}; {hint}")
    return tokenizer


def _from_vocab(vocab: Path) -> Any:
    from transformers import BertTokenizer

    return BertTokenizer(vocab=str(vocab), do_lower_case=True, model_max_length=512)


def _from_pretrained(name: str) -> Any:
    from transformers import AutoTokenizer

    try:
        return AutoTokenizer.from_pretrained(name)
    except (OSError, ValueError) as error:
        hint = f"run: python -m src.llm.fetch {MINILM.name}" if name == BASE else "give a folder or a hub's name"
        raise InputError(f"no tokenizer for {name} ({first_line(error)}); {hint}") from None


def first_line(error: Exception) -> str:
    """Return the first line of an error message, since those of transformers have many lines."""
    return str(error).strip().partition("\n")[0]
