"""Distillation of a teacher into a verdict model: the target is a mean of the label and the teacher's probabilities.

This turns an ensemble of verdict models into one model (Hinton et al. 2015, section 2).

Limitations: a teacher that learned from the same examples is more certain of them than of others.
"""

from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.models.evidence_rows import LAYOUT, Input
from src.models.prompted_classifier import PROMPT_LAYOUTS
from src.models.trained import read_trained
from src.models.veracity import TASK, JointVerdict, load_runs

Target = list[float]


def load_teacher(folder: Path) -> JointVerdict:
    """Return the ensemble of a folder's runs. Raises InputError when they do not read all evidence at once."""
    if read_trained(folder, TASK).layout not in (LAYOUT, *PROMPT_LAYOUTS):
        raise InputError("does not read a claim with all its evidence", path=folder)
    return JointVerdict(load_runs(folder))


def taught(teacher: JointVerdict, inputs: Sequence[Input], labels: Sequence[int], share: float) -> list[Target]:
    """Return targets [inputs, verdicts]: the teacher's probability times `share`, plus the label's times the rest."""
    found = teacher.log_probabilities(inputs).softmax(-1).tolist()
    return [
        [share * said + (1 - share) * (place == label) for place, said in enumerate(row)]
        for row, label in zip(found, labels, strict=True)
    ]
