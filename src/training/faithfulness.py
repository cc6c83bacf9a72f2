"""Training of a tagger that finds unfaithful words of explanations, on synthetic errors.

An example is a sentence of an explanation with its premise: the claim, the verdict and the nearest evidence. Each
explanation gives unchanged ("clean") sentences, and sentences into which an error was inserted. Few explanations allow
an error in which a name or number of the source replaces another, so several examples are made of each such error, and
fewer of other kinds. Explanations copied from rulings give all their clean sentences and fewer errors. The tagger thus
learns not to doubt copied names.

The score is the recall of each kind of error, at a threshold that flags one clean sentence in fifty.

Limitations: the held-out errors use the word lists of the training; `src.explanation.evaluate_checks` has other words.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
import numpy as np

from src.errors import InputError
from src.explanation.checks.grounds import Grounds, premise
from src.explanation.claims_file import gold_explanation
from src.explanation.politihop import copied_explanations
from src.explanation.synthetic_errors.planting import plant
from src.explanation.synthetic_errors.records import IN_A_SENTENCE, Error, Kind
from src.explanation.synthetic_errors.scene import Elsewhere, Scene, elsewhere, scenes
from src.explanation.synthetic_errors.word_lists import TRAIN
from src.llm.adapter import WEIGHTS as ADAPTER
from src.llm.batching import sub_batches
from src.models.evidence_rows import LAYOUT, Input, Row, RowMaker
from src.models.faithfulness import LABELS, NONE
from src.records import Claim
from src.settings import Flag, Group, Positive
from src.spacy_pipelines import FROM_PYPI, load
from src.text import sentences
from src.training.adapters import begin_with
from src.training.classifier import BATCH_ROWS, BATCH_TOKENS, load_classifier
from src.training.recipe import Recipe, RecipeFlags, TrainingSettings, flags_of
from src.training.task import Final, Material, Scores, Task

if TYPE_CHECKING:
    from torch import Tensor

COPIES = {
    Kind.INTRINSIC_ENTITY: 3.0, Kind.INTRINSIC_NUMBER: 3.0, Kind.INTRINSIC_EVENT: 2.0, Kind.INTRINSIC_NOUN_PHRASE: 0.35,
    Kind.EXTRINSIC_ENTITY: 0.35, Kind.EXTRINSIC_NUMBER: 0.5, Kind.EXTRINSIC_EVENT: 0.12,
    Kind.EXTRINSIC_EVENT_ELSEWHERE: 0.15, Kind.EXTRINSIC_NOUN_PHRASE: 0.3, Kind.IRRELEVANT_EVIDENCE: 0.15,
    Kind.FLIPPED_CONCLUSION: 0.25, Kind.OVERGENERALISATION: 0.3,
}  # fmt: skip
OF_RULINGS = COPIES | {Kind.INTRINSIC_ENTITY: 1.0, Kind.INTRINSIC_NUMBER: 1.0, Kind.INTRINSIC_EVENT: 1.0}
APART = 1000  # difference of the seeds of several errors of one kind in an explanation

ALARMS = 0.02
MEAN = "mean recall"
Ask = Callable[[Sequence[Input]], "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"]
"""A function from inputs to the highest probability of each label over the sentence, [inputs, labels]."""
MEASURED = 40  # held-out claims that are scored, with all their copies: more would take longer than training
PLAIN = 0.3  # the weight of a word without an error, because there are many
RECIPE = Recipe("planted errors", "mpnet", tokens=4096, learning_rate=5e-4, max_length=224, every=120)
Tags = list[int]


class TaggedSentence(msgspec.Struct, frozen=True):
    """Training example of a tagger: a sentence with or without one error.

    `text`: the model's input: sentence and premise.
    `sentence`: the sentence.
    `label`: the error type as an index into `LABELS`; 0: no error.
    `start`, `end`: indices of the error's characters in the sentence; both 0 without an error.
    `kind`: kind of the synthetic error; None: no error.
    """

    text: Input
    sentence: str
    label: int
    start: int = 0
    end: int = 0
    kind: Kind | None = None


class Drawn(NamedTuple):
    """How many examples are made of an explanation.

    `copies`: mean number of examples with an error, for each kind of error.
    `clean`: share of the explanation's sentences that become examples without an error.
    """

    copies: Mapping[Kind, float]
    clean: float


JUSTIFICATIONS, RULINGS = Drawn(COPIES, 0.7), Drawn(OF_RULINGS, 1.0)
ONE_OF_EACH = Drawn(dict.fromkeys(IN_A_SENTENCE, 1.0), 1.0)  # for the held-out scores


def tagged(explanations: Sequence[Scene], others: Elsewhere, seed: int, drawn: Drawn) -> list[TaggedSentence]:
    """Return the examples of explanations.

    `others`: names, numbers and sentences of other explanations, from which errors are made.
    `drawn`: how many examples are made.

    The random choices for an explanation depend only on the seed and its claim.
    """
    return [one for scene in explanations for one in _of_scene(scene, others, seed, drawn)]


def _of_scene(scene: Scene, others: Elsewhere, seed: int, drawn: Drawn) -> Iterator[TaggedSentence]:
    draw = Random(f"{seed}\n{scene.claim.claim}")
    grounds = Grounds.of(scene.claim)
    for sentence in scene.sentences:
        if draw.random() < drawn.clean:
            yield TaggedSentence((sentence, premise(sentence, grounds)), sentence, 0)
    for kind, most in drawn.copies.items():
        copies = int(most) + (draw.random() < most % 1)
        made = [plant(scene, kind, others, TRAIN, seed + APART * number) for number in range(copies)]
        for text, error in dict.fromkeys(one for one in made if one is not None):
            yield _planted(text, error, grounds)


def _planted(text: str, error: Error, grounds: Grounds) -> TaggedSentence:
    """Return the example of the sentence that has the synthetic error. `text` is the explanation with this error.

    If the error is a removal of words, the word after them is tagged.
    """
    all_sentences = sentences(text)
    sentence = all_sentences[error.sentence]
    start = error.start - sum(len(one) + 1 for one in all_sentences[: error.sentence])
    span = error.span.strip()
    start += len(error.span) - len(error.span.lstrip()) if span else 0
    end = start + len(span) if span else start + max(1, len(sentence[start:].split(" ")[0]))
    label = LABELS.index(error.type.value)
    return TaggedSentence((sentence, premise(sentence, grounds)), sentence, label, start, end, error.kind)


def held_out_scores(ask: Ask, examples: Sequence[TaggedSentence]) -> Scores:
    """Return the recall of each kind of error, and the mean over the kinds (see the top of this module)."""
    highest = ask([one.text for one in examples])
    clean = np.array([one.label == 0 for one in examples])
    scores: Scores = {}
    for kind in Kind:
        of_kind = np.array([one.kind is kind for one in examples])
        if of_kind.any():
            label = next(one.label for one in examples if one.kind is kind)
            threshold = np.quantile(highest[clean, label], 1 - ALARMS)
            scores[str(kind)] = float((highest[of_kind, label] > threshold).mean())
    return scores | {MEAN: float(np.mean(list(scores.values())))}


def final_scores(ask: Ask, examples: Sequence[TaggedSentence]) -> Final:
    """Return the final held-out scores of a tagger. The baseline flags sentences at random: its recall is ALARMS."""
    return Final(held_out_scores(ask, examples), {MEAN: ALARMS})


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
        """Return the files that the training reads besides the claims, by their names in the manifest."""
        files = {"politihop": self.politihop} if self.politihop else {}
        return files | ({"begin_with": self.begin_with / ADAPTER} if self.begin_with else {})


def faithfulness_task(settings: TaggerSettings, material: Material) -> Task:
    """Build the training task of a tagger. Raises InputError when there are no examples, or none held out."""
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
    """Return the label of each token of the sentence, for the tokens that fit into the row."""
    (offsets,) = maker.offsets([example.sentence])
    inside = [start < example.end and end > example.start for start, end in offsets]
    return [example.label if one else 0 for one in inside][: row.second - 2]


def _loss(model: Any, rows: Sequence[Row], tags: Sequence[Tags]) -> "Tensor":
    """Return the sum over rows of the weighted cross-entropy, averaged over the tokens of the row's sentence."""
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
    """Return float32 logits of all tokens, [rows, tokens, labels], with gradients where autograd is on."""
    from src.models.pooled import padded

    plain = model.get_base_model() if hasattr(model, "get_base_model") else model
    result: Tensor = plain.token_logits(**padded(rows, plain.config, plain.device))
    return result


def _ask(model: Any, maker: RowMaker) -> Ask:
    """Return a function that computes the highest probability of each label in each sentence, [inputs, labels].

    The function uses the current weights of the model.
    """
    import numpy as np
    import torch

    def ask(inputs: Sequence[Any]) -> Any:
        rows = maker.rows(inputs)
        highest = np.zeros((len(rows), len(LABELS)))
        with torch.no_grad():
            for part in sub_batches([len(row.ids) for row in rows], BATCH_ROWS, BATCH_TOKENS):
                chances = token_logits(model, [rows[at] for at in part]).float().softmax(-1).cpu()
                for at, one in zip(part, chances, strict=True):
                    highest[at] = one[1 : max(2, rows[at].second - 1)].amax(0).numpy()
        return highest

    return ask
