"""Where the tokenizer of bert-base-uncased comes from: a published checkpoint holds weights and no words.

The vocabulary of the bundled all-MiniLM-L6-v2 is that of bert-base-uncased, entry for entry (30,522 word pieces, lower
case), so it is taken where it stands, which needs no network; otherwise the model hub is asked for bert-base-uncased.
"""

from pathlib import Path
from typing import Any

from src.errors import InputError
from src.llm.weights import MINILM, PRETRAINED

BASE = "bert-base-uncased"


def base_tokenizer(base: str | None, rows: int) -> Any:
    """The tokenizer for a BERT whose embedding has `rows` rows; `base` is a folder or a hub's name, None to find one.

    Raises InputError when there is none, or when its vocabulary has another size.
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
    """What transformers says in many lines, in one."""
    return str(error).strip().partition("\n")[0]
