"""Loader of a BERT classifier and its tokenizer from a published .ckpt or a folder of transformers.

A .ckpt does not contain its architecture, so the sizes are read from its tensors. Weights that do not fit are an error:
transformers alone would fill a missing weight with random numbers and continue.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.llm.adapter import CONFIG
from src.models.checkpoint import check_state, read_state
from src.models.trained import TOGETHER, TRAINED, is_trained, trained_folders
from src.models.vocabulary import base_tokenizer, first_line

if TYPE_CHECKING:
    from torch import Tensor

BRING = "bring it with: bash script/download.sh dev checkpoints"  # hint for a published .ckpt that is missing
HEAD_WIDTH = 64  # every published BERT has hidden size / 64 heads


def weights_file(source: Path) -> Path:
    """Return the weight file of a .ckpt or of a folder.

    Raises InputError when it does not exist, or when the folder does not have exactly one.
    """
    if source.is_dir():
        found = sorted(source.glob("*.safetensors"))
        if len(found) != 1:
            raise InputError(f"{len(found)} files *.safetensors in this folder, 1 is needed", path=source)
        return found[0]
    if not source.is_file():
        raise InputError("no such checkpoint", path=source)
    return source


def classifier_files(source: Path, flag: str = "best_checkpoint", *, all_seeds: bool = False) -> dict[str, Path]:
    """Return the files that determine the answers of a checkpoint, for a run's fingerprint.

    The keys begin with `flag`, the flag that names the checkpoint. `all_seeds` adds the files of the runs in its
    subfolders.
    """
    if not is_trained(source):
        return {flag: weights_file(source)}
    found: dict[str, Path] = {}
    for folder in trained_folders(source) if all_seeds else [source]:
        name = flag if folder == source else f"{flag}_{folder.name}"
        files = {name: weights_file(folder), f"{name}_record": folder / TRAINED, f"{name}_adapter": folder / CONFIG}
        found |= {role: path for role, path in files.items() if path.is_file()}
    if all_seeds and (source / TOGETHER).is_file():
        found[f"{flag}_together"] = source / TOGETHER
    return found


def open_bert(source: Path, base: str | None = None) -> tuple[Any, Any]:
    """Return the model (float32, on the CPU) and its tokenizer. `base` names the model that a .ckpt was trained from.

    Raises InputError when the files are damaged, carry code, or are not a BERT classifier.
    """
    weights_file(source)
    return _from_folder(source) if source.is_dir() else _from_checkpoint(source, base)


def _from_checkpoint(path: Path, base: str | None) -> tuple[Any, Any]:
    from transformers import BertForSequenceClassification

    state = read_state(path)
    config = _config(state, path, base)
    tokenizer = base_tokenizer(base, config.vocab_size)
    model = BertForSequenceClassification(config)
    check_state(state, model.state_dict(), path)
    model.load_state_dict(state)
    return model, tokenizer


def _config(state: "dict[str, Tensor]", path: Path, base: str | None) -> Any:
    """Return the config. All sizes but the number of heads follow from the shapes of the weights."""
    from transformers import BertConfig

    try:
        vocab, hidden = state["bert.embeddings.word_embeddings.weight"].shape
        sizes: dict[str, Any] = {
            "vocab_size": vocab,
            "hidden_size": hidden,
            "num_hidden_layers": len({name.split(".")[3] for name in state if name.startswith("bert.encoder.layer.")}),
            "intermediate_size": state["bert.encoder.layer.0.intermediate.dense.weight"].shape[0],
            "max_position_embeddings": state["bert.embeddings.position_embeddings.weight"].shape[0],
            "type_vocab_size": state["bert.embeddings.token_type_embeddings.weight"].shape[0],
            "num_labels": state["classifier.weight"].shape[0],
        }
    except KeyError as error:
        raise InputError(f"not a BERT classifier: {error.args[0]} is missing", path=path, field="state_dict") from None
    return BertConfig(**sizes, num_attention_heads=_heads(base, hidden), problem_type="single_label_classification")


def _heads(base: str | None, hidden: int) -> int:
    from transformers import BertConfig

    if base is None:
        return max(1, hidden // HEAD_WIDTH)
    try:
        return int(BertConfig.from_pretrained(base).num_attention_heads)
    except (OSError, ValueError) as error:
        raise InputError(f"--base {base}: no config of a BERT there ({first_line(error)})") from None


def _from_folder(folder: Path) -> tuple[Any, Any]:
    from transformers import AutoTokenizer, BertForSequenceClassification

    try:
        tokenizer = AutoTokenizer.from_pretrained(folder)
        loaded: Any = BertForSequenceClassification.from_pretrained(folder, output_loading_info=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise InputError(f"cannot be loaded: {first_line(error)}", path=folder) from None
    model, report = loaded
    if missing := sorted(report["missing_keys"]):
        raise InputError(f"not a trained BERT classifier: {missing[0]} is missing", path=folder)
    return model, tokenizer
