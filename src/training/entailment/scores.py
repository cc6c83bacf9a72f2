"""The scores of an entailment model on held-out claims with gold evidence.

HOVER and FEVEROUS-S have two labels, so "not entailed" is one class there. AVeriTeC's verdicts are scored in the same
way. The baselines are the commonest label of each part, and the rule that a claim with several passages is entailed.
This rule predicts many labels of FEVEROUS-S.

Limitations: gold evidence only. `src.programs.evaluate_programs` scores retrieved evidence.
"""

from collections.abc import Callable, Sequence

import msgspec
import numpy as np

from src.models.entailment import LABELS
from src.models.evidence_rows import Input
from src.training.calibration import (
    Floats,
    Ints,
    calibration_error,
    class_scores,
    fit_temperature,
    log_loss,
    log_softmax,
    mean_log_loss,
)
from src.training.entailment.examples import ENTAILED, EntailmentExample
from src.training.task import Final, Scores

LIKELIHOOD, MEAN = "log-likelihood", "mean macro-F1"
PACK = "pack"  # the part whose rows have all three labels
Ask = Callable[[Sequence[Input]], Floats]  # inputs to logits


class Part(msgspec.Struct, frozen=True):
    """Held-out examples of one data set."""

    name: str
    examples: list[EntailmentExample]

    @property
    def labels(self) -> Ints:
        return np.array([example.label for example in self.examples], np.int64)

    @property
    def inputs(self) -> list[Input]:
        return [example.text for example in self.examples]


def quick_scores(ask: Ask, parts: Sequence[Part]) -> Scores:
    """Return the scores during training. The mean of the parts' macro-F1 chooses the weights.

    Log-likelihood, after the best temperature, is not used: it falls when the model is certain of its errors, although
    its decisions still improve.
    """
    asked = [(ask(part.inputs), part.labels) for part in parts]
    temperature = fit_temperature(asked)
    found = {LIKELIHOOD: -mean_log_loss([(logits / temperature, labels) for logits, labels in asked])}
    for part, (logits, labels) in zip(parts, asked, strict=True):
        found |= part_scores(part.name, logits.argmax(1), labels)
    return found | {MEAN: sum(found[f"{part.name} macro-F1"] for part in parts) / len(parts)}


def part_scores(name: str, guessed: Ints, labels: Ints) -> Scores:
    """Return accuracy and macro-F1: over all three labels for the pack, over "entailed" and the rest elsewhere."""
    if name.endswith(PACK):
        accuracy, f1 = class_scores(guessed, labels, len(LABELS))
    else:
        accuracy, f1 = class_scores((guessed != ENTAILED).astype(np.int64), (labels != ENTAILED).astype(np.int64), 2)
    return {f"{name} accuracy": accuracy, f"{name} macro-F1": sum(f1) / len(f1)}


def final_scores(ask: Ask, parts: Sequence[Part]) -> Final:
    """Return the final scores, with a temperature fitted on the parts, and the calibration before and after it."""
    asked = [(ask(part.inputs), part.labels) for part in parts]
    temperature = fit_temperature(asked)
    found: Scores = {}
    for part, (logits, labels) in zip(parts, asked, strict=True):
        found |= part_scores(part.name, logits.argmax(1), labels)
        found |= {
            f"{part.name} log-loss": log_loss(logits / temperature, labels),
            f"{part.name} ECE": calibration_error(np.exp(log_softmax(logits / temperature)), labels),
            f"{part.name} ECE before temperature": calibration_error(np.exp(log_softmax(logits)), labels),
        }
    return Final(found, floors(parts), temperature)


def floors(parts: Sequence[Part]) -> Scores:
    found: Scores = {}
    for part in parts:
        labels = part.labels
        commonest = np.full(len(labels), np.bincount(labels).argmax(), np.int64)
        counted = np.array([ENTAILED if len(one.text[1]) > 1 else ENTAILED + 1 for one in part.examples], np.int64)
        found |= part_scores(f"commonest: {part.name}", commonest, labels)
        found |= part_scores(f"several passages: {part.name}", counted, labels)
    return found
