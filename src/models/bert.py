"""A BERT text classifier, the architecture of both published checkpoints, from a .ckpt or a folder of transformers.

A .ckpt does not contain its architecture, so the sizes are read from its tensors. Weights that do not fit are an error:
transformers alone would fill a missing weight with random numbers and continue. A .ckpt does not contain its tokenizer
either, which is that of bert-base-uncased. The vocabulary of the bundled all-MiniLM-L6-v2 equals it entry for entry
(30,522 word pieces, lower case). If that model is installed, its file is used and no network is needed.

Texts are sorted by length and run in batches with a limit of tokens, which keeps memory small. Results are in the order
of the texts. The other texts of a batch change the logits of a text only by rounding.

Limitations: no training. A text is one segment, never a pair.
"""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from src.errors import InputError
from src.llm.adapter import CONFIG
from src.llm.batching import sub_batches
from src.llm.loading import find_device, first_line, silence
from src.llm.protocol import ModelInfo
from src.llm.weights import MINILM, PRETRAINED
from src.models.checkpoint import check_state, check_zip, read_state
from src.models.trained import TOGETHER, TRAINED, is_trained, trained_folders
from src.store import sha256

if TYPE_CHECKING:
    from torch import Tensor

BASE = "bert-base-uncased"


def base_tokenizer(base: str | None, rows: int) -> Any:
    """Load the tokenizer for a BERT whose word embedding has `rows` rows.

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


BRING = "bring it with: bash script/download.sh dev checkpoints"  # hint for a published .ckpt that is missing
HEAD_WIDTH = 64  # every published BERT has hidden size / 64 heads


def existing_model(what: str, source: Path, choice: str, names: Collection[str]) -> Path:
    """Return `source`, the checkpoint or folder that `choice` means: one of `names`, or a path.

    Raises InputError if it does not exist; the message begins with `what`.
    """
    if source.exists():
        return source
    if choice in names:
        remedy = f"; {BRING}" if source.suffix == ".ckpt" else ""
        raise InputError(f"{what} {choice}: {source} is not there{remedy}")
    raise InputError(f"{what} {choice}: no such checkpoint or folder, and none of the names {', '.join(names)}")


def weights_file(source: Path) -> Path:
    """Return the weight file of a .ckpt or of a folder.

    Raises InputError when it does not exist, or when the folder does not have exactly one.
    """
    if source.is_dir():
        files = sorted(source.glob("*.safetensors"))
        if len(files) != 1:
            raise InputError(f"{len(files)} files *.safetensors in this folder, 1 is needed", path=source)
        return files[0]
    if not source.is_file():
        raise InputError("no such checkpoint", path=source)
    return source


def classifier_files(source: Path, flag: str = "best_checkpoint", *, all_seeds: bool = False) -> dict[str, Path]:
    """Return the files that determine a classifier's output, for a run's fingerprint.

    The keys begin with `flag`, the flag that names the checkpoint. With `all_seeds`, the files of further training runs
    in the subfolders `seed_N` are included; by default they are not.
    """
    if not is_trained(source):
        return {flag: weights_file(source)}
    existing: dict[str, Path] = {}
    for folder in trained_folders(source) if all_seeds else [source]:
        name = flag if folder == source else f"{flag}_{folder.name}"
        files = {name: weights_file(folder), f"{name}_record": folder / TRAINED, f"{name}_adapter": folder / CONFIG}
        existing |= {role: path for role, path in files.items() if path.is_file()}
    if all_seeds and (source / TOGETHER).is_file():
        existing[f"{flag}_together"] = source / TOGETHER
    return existing


def open_bert(source: Path, base: str | None = None) -> tuple[Any, Any]:
    """Load a BERT classifier (float32, on the CPU) and its tokenizer from a .ckpt or a folder.

    `base` names the model that a .ckpt was trained from. Raises InputError when the files are damaged, contain code, or
    are not a BERT classifier.
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
    """Return the model's config; its sizes are read from the shapes of the weights, except the number of heads."""
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


BATCH_ROWS = 32
BATCH_TOKENS = 4096  # padded tokens of one batch: 12 heads over 8 texts of 512 tokens hold 100 MB of attention


class BertClassifier:
    """A loaded BERT classifier in evaluation mode. `info` has its source, device and number format."""

    def __init__(self, model: Any, tokenizer: Any, max_length: int, source: Path) -> None:
        self._model, self._tokenizer, self._max_length = model, tokenizer, max_length
        self.info = ModelInfo(
            spec=str(source),
            engine="transformers",
            name=source.name,
            sha256=sha256(weights_file(source)),
            context=max_length,
            deterministic=model.device.type == "cpu",
            details={"dtype": str(model.dtype).removeprefix("torch."), "device": model.device.type},
        )

    def logits(self, texts: Sequence[str]) -> "Tensor":
        """Return each text's logits: float32 [len(texts), classes] on the CPU.

        A text of more than `max_length` tokens is cut.
        """
        import torch

        if not texts:
            return torch.zeros((0, self._model.config.num_labels))
        ids = self._tokenizer(list(texts), truncation=True, max_length=self._max_length)["input_ids"]
        logits = torch.empty((len(texts), self._model.config.num_labels))
        with torch.inference_mode():
            for batch in sub_batches([len(row) for row in ids], BATCH_ROWS, BATCH_TOKENS):
                rows = self._tokenizer.pad({"input_ids": [ids[index] for index in batch]}, return_tensors="pt")
                logits[batch] = self._model(**rows.to(self._model.device)).logits.float().cpu()
        return logits


def load_bert(
    source: Path, num_labels: int, max_length: int, dtype: str | None = None, device: str | None = None
) -> BertClassifier:
    """Load a BERT classifier from a .ckpt or a folder.

    The default is float32, on a GPU if there is one. Raises InputError when the file is damaged, contains code, or has
    another architecture or number of classes, or when the `device` does not exist.
    """
    import torch

    silence()
    model, tokenizer = open_bert(source)
    if model.config.num_labels != num_labels:
        raise InputError(f"has {model.config.num_labels} classes, {num_labels} are needed", path=source)
    device = find_device(device)
    numbers = getattr(torch, dtype or "float32")
    return BertClassifier(model.to(device=device, dtype=numbers).eval(), tokenizer, max_length, source)


LENGTH = 8  # bytes at the beginning of a safetensors file; a JSON object follows


def lacking(source: str) -> str:
    """Return an error message if a .ckpt, or the weight file of a converted folder, has the wrong format; else ""."""
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
