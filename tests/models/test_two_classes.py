"""Other models as classifiers of two classes: joined classes, and the scores of two words."""

from pathlib import Path

import pytest
import torch

from src.models.evidence_rows import Input, ListwiseRows
from src.models.pooled import padded, seq2seq_of
from src.models.two_classes import TwoClasses, TwoWords
from tests.tiny_models import make_t5


class _Fixed(torch.nn.Module):
    def __init__(self, logits: torch.Tensor) -> None:
        super().__init__()
        self._logits = logits

    def forward(self) -> torch.Tensor:
        return self._logits


@pytest.mark.parametrize(("classes", "true"), [(3, 0), (3, 2), (4, 1)])
def test_others_count_together(classes: int, true: int) -> None:
    logits = torch.randn(5, classes, generator=torch.Generator().manual_seed(1))
    probabilities = TwoClasses(_Fixed(logits), true)().softmax(-1)
    assert torch.allclose(probabilities[:, 0], logits.softmax(-1)[:, true])
    assert torch.allclose(probabilities.sum(-1), torch.ones(5))


def test_two_classes_stay_as_they_are() -> None:
    logits = torch.tensor([[1.0, -2.0], [0.5, 3.0]])
    assert torch.allclose(TwoClasses(_Fixed(logits), 0)(), logits)
    assert torch.allclose(TwoClasses(_Fixed(logits), 1)(), logits.flip(-1))


INPUTS: list[Input] = [("the river rose", (("", "taxes were cut"),)), ("taxes were cut", ())]


def test_the_loss_is_that_which_transformers_gives_for_the_word(tmp_path: Path) -> None:
    folder = make_t5(tmp_path / "t5")
    rows, model = ListwiseRows(folder, 64), seq2seq_of(folder, "float32").eval()
    batch = padded(rows.rows(INPUTS), model.config, "cpu")
    words = rows.words()
    ours = TwoWords(model, words).losses(torch.tensor([1, 0]), **batch)
    theirs = [
        model(**padded([row], model.config, "cpu"), labels=torch.tensor([word])).loss
        for row, word in zip(rows.rows(INPUTS), (words[1], words[0]), strict=True)
    ]
    torch.testing.assert_close(ours, torch.stack(theirs), atol=1e-4, rtol=1e-4)


def test_words_of_other_lengths_count_by_their_own_pieces(tmp_path: Path) -> None:
    folder = make_t5(tmp_path / "t5")
    rows, model = ListwiseRows(folder, 64), seq2seq_of(folder, "float32").eval()
    words = [[3, 1], [4, 5, 6, 1]]
    losses = TwoWords(model, words).losses(torch.tensor([0, 1]), **padded(rows.rows(INPUTS), model.config, "cpu"))
    alone = model(**padded(rows.rows(INPUTS[:1]), model.config, "cpu"), labels=torch.tensor([words[0]])).loss
    torch.testing.assert_close(losses[0], alone, atol=1e-4, rtol=1e-4)
