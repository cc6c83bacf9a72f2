"""The training task of a tagger: its examples, their loss, the held-out scores.

The settings are those of `src.training.train_faithfulness`.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from src.errors import InputError
from src.explanation.gold import gold_explanation
from src.explanation.politihop import copied_explanations
from src.explanation.synthetic_errors.scene import Scene, elsewhere, scenes
from src.llm.adapter import WEIGHTS as ADAPTER
from src.llm.batching import sub_batches
from src.models.evidence_rows import LAYOUT, Row, RowMaker
from src.models.faithfulness import LABELS, NONE
from src.records import Claim
from src.settings import Flag, Group, Positive
from src.spacy_pipelines import FROM_PYPI, load
from src.training.classifier import BATCH_ROWS, BATCH_TOKENS, load_classifier
from src.training.faithfulness.examples import JUSTIFICATIONS, ONE_OF_EACH, RULINGS, TaggedSentence, tagged
from src.training.faithfulness.scores import MEAN, Ask, final_scores, held_out_scores
from src.training.loop.adapters import begin_with
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.task import Material, Task

if TYPE_CHECKING:
    from torch import Tensor

MEASURED = 40  # held-out claims that are scored, with all their copies: more would take longer than training
PLAIN = 0.3  # the weight of a word without an error, because there are many
RECIPE = Recipe("planted errors", "mpnet", tokens=4096, learning_rate=5e-4, max_length=224, every=120)
Tags = list[int]


class TaggerSettings(TrainingSettings, frozen=True, kw_only=True):
    """Settings of the training of a tagger."""

    changes: Annotated[RecipeFlags, Group("recipe")] = flags_of(RECIPE)
    politihop: Annotated[Path | None, Flag("PolitiHop's table of train")] = None
    rulings: Annotated[Positive, Flag("explanations of it that are used, from the first")] = 150
    begin_with: Annotated[
        Path | None, Flag("the adapter, of an entailment or verdict model or a tagger, to begin with")
    ] = None

    def recipe(self) -> Recipe:
        return self.changes.over(RECIPE, rulings=self.rulings if self.politihop else 0)

    def inputs(self) -> dict[str, Path]:
        """Return the files that are read besides the claims, by their roles."""
        found = {"politihop": self.politihop} if self.politihop else {}
        return found | ({"begin_with": self.begin_with / ADAPTER} if self.begin_with else {})


def faithfulness_task(settings: TaggerSettings, material: Material) -> Task:
    """Return the task. Raises InputError when there are no examples, or none held out."""
    language, seed = load(FROM_PYPI, []), material.recipe.seed
    held_out = _scenes(material.split.held_out[:MEASURED], language)
    learned = _scenes(material.split.train, language)
    rulings = (
        list(scenes(copied_explanations(settings.politihop)[: settings.rulings], language))
        if settings.politihop
        else []
    )
    examples = tagged(learned, elsewhere(learned), seed, JUSTIFICATIONS)
    examples += tagged(rulings, elsewhere(rulings), seed, RULINGS)
    measured = tagged(held_out, elsewhere(held_out), seed, ONE_OF_EACH)
    if not examples or not measured:
        raise InputError(
            "no claim with a label and a justification to learn from, or none held out", path=settings.files.train
        )
    return _task(settings.begin_with, examples, measured, material)


def _scenes(claims: Sequence[Claim], language: Any) -> list[Scene]:
    explained = [one for one in map(gold_explanation, claims) if one is not None]
    return list(scenes(explained, language))


def _task(
    begun: Path | None, examples: list[TaggedSentence], measured: list[TaggedSentence], material: Material
) -> Task:
    model, tokenizer = load_classifier(material.base, material.recipe, len(LABELS))
    if begun is not None:
        begin_with(model, begun)
    maker = RowMaker(material.base.folder, material.recipe.max_length)
    rows = maker.rows([one.text for one in examples])
    tags = [_tags(one, row, maker) for one, row in zip(examples, rows, strict=True)]
    kinds = Counter(str(one.kind or NONE) for one in examples)
    return Task(
        model=model,
        tokenizer=tokenizer,
        layout=LAYOUT,
        lengths=[len(row.ids) for row in rows],
        weights=[1.0] * len(rows),
        loss=lambda model, places: _loss(model, [rows[at] for at in places], [tags[at] for at in places]),
        held_out=lambda model: held_out_scores(_ask(model, maker), measured),
        chosen_by=MEAN,
        final=lambda model: final_scores(_ask(model, maker), measured),
        labels=LABELS,
        counts={f"{kind} examples": count for kind, count in kinds.items()} | {"held out": len(measured)},
    )


def _tags(example: TaggedSentence, row: Row, maker: RowMaker) -> Tags:
    """Return the label of each word piece of the sentence that is in the row."""
    (offsets,) = maker.offsets([example.sentence])
    inside = [start < example.end and end > example.start for start, end in offsets]
    return [example.label if one else 0 for one in inside][: row.second - 2]


def _loss(model: Any, rows: Sequence[Row], tags: Sequence[Tags]) -> "Tensor":
    """Return the sum over rows of the mean weighted cross-entropy of their word pieces."""
    import torch
    from torch.nn.functional import cross_entropy

    logits = token_logits(model, rows)
    labels = torch.full(logits.shape[:2], -100, device=logits.device)
    for at, one in enumerate(tags):
        labels[at, 1 : len(one) + 1] = torch.tensor(one, device=logits.device)
    weight = torch.ones(len(LABELS), device=logits.device)
    weight[0] = PLAIN
    losses = cross_entropy(logits.transpose(1, 2), labels, weight=weight, ignore_index=-100, reduction="none")
    return (losses.sum(1) / (labels >= 0).sum(1).clamp(min=1)).sum()


def token_logits(model: Any, rows: Sequence[Row]) -> "Tensor":
    """Return float32 logits [rows, pieces, labels], with gradients where autograd is on."""
    from src.models.pooled import padded

    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    found: Tensor = plain.token_logits(**padded(rows, plain.config, plain.device))
    return found


def _ask(model: Any, maker: RowMaker) -> Ask:
    """Return a function from inputs to the highest probability of each label over the sentence, [inputs, labels].

    The function uses the current weights of the model.
    """
    import numpy as np
    import torch

    def ask(inputs: Sequence[Any]) -> Any:
        rows = maker.rows(inputs)
        found = np.zeros((len(rows), len(LABELS)))
        with torch.no_grad():
            for part in sub_batches([len(row.ids) for row in rows], BATCH_ROWS, BATCH_TOKENS):
                chances = token_logits(model, [rows[at] for at in part]).float().softmax(-1).cpu()
                for at, one in zip(part, chances, strict=True):
                    found[at] = one[1 : max(2, rows[at].second - 1)].amax(0).numpy()
        return found

    return ask
