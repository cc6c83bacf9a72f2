"""Encoders for few-shot fine-tuning, found by name or folder. There are four kinds, recognized by their files:

    encoder      a base of `find_base`, with a new head of two classes: true, false
    trained      a folder of a classifier that was trained here: its base with its adapter merged, and its head
    classifier   a base whose config names a classification head, such as a natural language inference model of the hub
    seq2seq      an encoder-decoder like T5, which learns to write true or false (LisT5)

An existing head keeps its classes. The class named after entailment or support means true. All others together mean
false, including "neutral" and "not enough evidence", as in HOVER.

Limitations: a classifier of the third kind was trained with the premise first, so it reads the passages before the
claim. Models like RoBERTa were trained with two separator tokens between them, and get one here.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from src.errors import InputError
from src.llm.adapter import check_base
from src.llm.protocol import ModelInfo
from src.llm.weights import hash_of
from src.models.base_model import BaseModel, find_base
from src.models.evidence_rows import LAYOUT, WORDS, Input, ListwiseRows, Row, RowMaker
from src.models.trained import TRAINED, is_trained, read_trained
from src.store import read_json
from src.training.recipe import Recipe

if TYPE_CHECKING:
    from src.models.two_classes import TwoClasses, TwoWords

Maker = RowMaker | ListwiseRows
ENCODER_DECODERS = frozenset({"t5", "mt5", "umt5"})
TRUE = frozenset({"entailment", "entailed", "entails", "supported", "supports", "support", "true"})
OWN_HEAD = "ForSequenceClassification"  # suffix of the names of transformers' classifiers


class Encoder(msgspec.Struct, frozen=True):
    """An encoder that can be fine-tuned.

    `kind`: its kind (see the top of this module).
    `base`: the model that transformers loads.
    `labels`: the classes of its head.
    `true`: index of the class that means true.
    `trained`: folder whose weights replace those of the base; None: the base's weights.
    """

    kind: Literal["encoder", "trained", "classifier", "seq2seq"]
    base: BaseModel
    labels: tuple[str, ...] = ("true", "false")
    true: int = 0
    trained: Path | None = None

    def loaded(self, recipe: Recipe) -> "TwoClasses | TwoWords":
        """Load the model, ready for training: with adapters or with all weights trained, as the recipe says.

        Raises InputError when it cannot be loaded or does not fit the recipe.
        """
        model = self._writer(recipe) if self.kind == "seq2seq" else self._classifier(recipe)
        if recipe.rank == 0:
            model.requires_grad_(True)  # also the word embeddings, which other trainings here do not train
        return model

    def maker(self, max_length: int) -> Maker:
        """Return the builder of this encoder's input rows.

        Raises InputError when the tokenizer is missing or of the wrong kind.
        """
        return (ListwiseRows if self.kind == "seq2seq" else RowMaker)(self.base.folder, max_length)

    def rows(self, maker: Maker, inputs: Sequence[Input]) -> list[Row]:
        rows = maker.rows(inputs)
        return [passages_first(row) for row in rows] if self._has_own_head else rows

    @property
    def sha256(self) -> str | None:
        """Return the hash of the base's weights, followed by the hash of `trained`'s weights if there are any."""
        over = None if self.trained is None else hash_of(self.trained)
        return self.base.sha256 if over is None else f"{self.base.sha256} {over}"

    @property
    def info(self) -> ModelInfo:
        """Return the description of the encoder before fine-tuning, for manifests."""
        false = ", ".join(label for place, label in enumerate(self.labels) if place != self.true)
        return ModelInfo(
            spec=self.base.name if self.trained is None else str(self.trained),
            engine="transformers",
            name=self.base.folder.name if self.trained is None else self.trained.name,
            sha256=self.sha256,
            details={"kind": self.kind, "base": self.base.name, "true": self.labels[self.true], "false": false},
        )

    def _classifier(self, recipe: Recipe) -> "TwoClasses":
        from src.models.two_classes import TwoClasses
        from src.training.classifier import load_classifier

        model, _ = load_classifier(self.base, recipe, len(self.labels), self.trained, own_head=self._has_own_head)
        return TwoClasses(model, self.true)

    def _writer(self, recipe: Recipe) -> "TwoWords":
        from src.llm.loading import silence
        from src.models.pooled import seq2seq_of
        from src.models.two_classes import TwoWords
        from src.training.adapters import base_dtype, with_adapters

        silence()
        words = ListwiseRows(self.base.folder, recipe.max_length).words()
        model: Any = seq2seq_of(self.base.folder, base_dtype(trained=recipe.rank == 0), "eager")
        return TwoWords(with_adapters(model, recipe, classifies=False), words)

    @property
    def _has_own_head(self) -> bool:
        return self.kind == "classifier"


class _Config(msgspec.Struct):
    architectures: list[str] | None = None
    id2label: dict[int, str] = {}
    model_type: str = ""
    is_encoder_decoder: bool = False


def find_encoder(name: str) -> Encoder:
    """Find an encoder by its name or folder.

    Raises InputError when there is none, or its head does not have exactly one class that means true. Raises
    MissingExtra when a bundled base or a package is not installed.
    """
    folder = Path(name)
    if is_trained(folder):
        return _trained(folder)
    base = find_base(name)
    config = read_json(base.folder / "config.json", _Config)
    if config.model_type in ENCODER_DECODERS:
        return Encoder("seq2seq", base, WORDS)
    if config.is_encoder_decoder:
        known = ", ".join(sorted(ENCODER_DECODERS))
        raise InputError(f"{config.model_type}: of encoder-decoders only {known} are fine-tuned here",
                         path=base.folder / "config.json", field="model_type")  # fmt: skip
    if not any(one.endswith(OWN_HEAD) for one in config.architectures or []):
        return Encoder("encoder", base)
    labels = tuple(config.id2label[place] for place in sorted(config.id2label))
    return Encoder("classifier", base, labels, _true(labels, base.folder / "config.json", "id2label"))


def _trained(folder: Path) -> Encoder:
    trained = read_trained(folder)
    true = _true(trained.labels, folder / TRAINED, "labels")
    if trained.layout != LAYOUT:
        raise InputError(f"reads {trained.layout}, not {LAYOUT}", path=folder / TRAINED, field="layout")
    base = find_base(trained.base)
    check_base(folder, trained, base.sha256)
    return Encoder("trained", base, trained.labels, true, folder)


def _true(labels: Sequence[str], path: Path, field: str) -> int:
    matches = [place for place, label in enumerate(labels) if label.casefold() in TRUE]
    if len(matches) != 1:
        names = ", ".join(labels) or "none"
        raise InputError(f"one class must say that a claim is entailed or supported; there are: {names}", path=path,
                         field=field)  # fmt: skip
    return matches[0]


def passages_first(row: Row) -> Row:
    """Return a row with its passages (second segment) before its claim. A row without passages is unchanged."""
    ids, second = row.ids, row.second
    return row if second == len(ids) else Row([ids[0], *ids[second:], *ids[1:second]], 1 + len(ids) - second, True)
