"""An encoder-decoder as a classifier: its loss is that of the word, its scores those of the first piece."""

from pathlib import Path

import torch

from src.models.evidence_rows import Input
from src.models.listwise_rows import ListwiseRows
from src.models.pooled import padded, seq2seq_of
from src.models.two_words import TwoWords
from tests.tiny_models import make_t5

INPUTS: list[Input] = [("the river rose", (("", "taxes were cut"),)), ("taxes were cut", ())]


def test_the_loss_is_that_which_transformers_gives_for_the_word(tmp_path: Path) -> None:
    folder = make_t5(tmp_path / "t5")
    rows, model = ListwiseRows(folder, 64), seq2seq_of(folder, "float32").eval()
    asked = padded(rows.rows(INPUTS), model.config, "cpu")
    words = rows.words()
    ours = TwoWords(model, words).losses(torch.tensor([1, 0]), **asked)
    theirs = [
        model(**padded([row], model.config, "cpu"), labels=torch.tensor([word])).loss
        for row, word in zip(rows.rows(INPUTS), (words[1], words[0]), strict=True)
    ]
    torch.testing.assert_close(ours, torch.stack(theirs), atol=1e-4, rtol=1e-4)


def test_words_of_other_lengths_count_by_their_own_pieces(tmp_path: Path) -> None:
    folder = make_t5(tmp_path / "t5")
    rows, model = ListwiseRows(folder, 64), seq2seq_of(folder, "float32").eval()
    words = [[3, 1], [4, 5, 6, 1]]
    found = TwoWords(model, words).losses(torch.tensor([0, 1]), **padded(rows.rows(INPUTS), model.config, "cpu"))
    alone = model(**padded(rows.rows(INPUTS[:1]), model.config, "cpu"), labels=torch.tensor([words[0]])).loss
    torch.testing.assert_close(found[0], alone, atol=1e-4, rtol=1e-4)
