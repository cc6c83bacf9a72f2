"""What a verdict model learns of a teacher: for each example a mean of its label and of the teacher's probabilities.

Several verdict models that are asked together become one so (Hinton et al. 2015, section 2). The teacher may have
learned from the same examples: then it is surer of them than it would be of others.
"""

from collections.abc import Sequence
from pathlib import Path

from src.errors import InputError
from src.models.evidence_rows import LAYOUT, Input
from src.models.joint_veracity import TASK, JointVerdict, load_runs
from src.models.passage_prompt import PROMPT_LAYOUTS
from src.models.trained import read_trained

Target = list[float]


def load_teacher(folder: Path) -> JointVerdict:
    """The runs of a folder together. Raises InputError when they do not read a claim with all its evidence at once."""
    if read_trained(folder, TASK).layout not in (LAYOUT, *PROMPT_LAYOUTS):
        raise InputError("does not read a claim with all its evidence", path=folder)
    return JointVerdict(load_runs(folder))


def taught(teacher: JointVerdict, inputs: Sequence[Input], labels: Sequence[int], share: float) -> list[Target]:
    """[inputs, verdicts]: `share` of the teacher's probability, the rest of the label's."""
    found = teacher.log_probabilities(inputs).softmax(-1).tolist()
    return [
        [share * said + (1 - share) * (place == label) for place, said in enumerate(row)]
        for row, label in zip(found, labels, strict=True)
    ]
