"""What is learned of a teacher: between its probabilities and the label, and no more than was asked for."""

from pathlib import Path

import pytest
import torch

from src.errors import InputError
from src.models.evidence_rows import PUBLISHED_TEXT
from src.models.veracity import JointVerdict
from src.training.verdicts.teacher import load_teacher, taught
from tests.models.adapters import make_base, make_trained


class _Sure(JointVerdict):
    """Says [.1, .2, .3, .4] of everything."""

    def __init__(self) -> None:
        pass

    def log_probabilities(self, inputs: object) -> torch.Tensor:
        return torch.tensor([[0.1, 0.2, 0.3, 0.4]]).log().repeat(len(inputs), 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("share", "expected"),
    [(1.0, [0.1, 0.2, 0.3, 0.4]), (0.0, [0.0, 1.0, 0.0, 0.0]), (0.5, [0.05, 0.6, 0.15, 0.2])],
)
def test_a_share_of_the_teacher_and_the_rest_of_the_label(share: float, expected: list[float]) -> None:
    first, second = taught(_Sure(), [("A claim.", []), ("Another.", [])], [1, 3], share)
    assert first == pytest.approx(expected)
    assert sum(second) == pytest.approx(1)
    assert second[3] == pytest.approx(0.4 * share + 1 - share)


def test_a_model_of_single_answers_is_no_teacher(tmp_path: Path) -> None:
    base = make_base(tmp_path / "base", "bert")
    make_trained(tmp_path / "made", base, "veracity", layout=PUBLISHED_TEXT)
    with pytest.raises(InputError, match="does not read a claim with all its evidence"):
        load_teacher(tmp_path / "made")
