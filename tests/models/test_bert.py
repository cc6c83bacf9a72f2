"""The BERT classifier gives the logits of transformers for each text alone; damaged checkpoints are detected."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

from src.errors import InputError
from src.models import bert, convert_checkpoint
from src.models.bert import lacking, load_bert, open_bert, weights_file
from tests.models.published_layout import published_content, write_checkpoint
from tests.tiny_models import sentences

TEXTS = [*sentences()[::40], " ".join(sentences()[:30]), "Taxes.", sentences()[0]]


def one_by_one(
    folder: Path, texts: list[str], max_length: int, dtype: torch.dtype = torch.float32, **config: Any
) -> torch.Tensor:
    """Return the logits that transformers gives for each text alone."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    own = BertConfig.from_pretrained(folder, **config)
    model = BertForSequenceClassification.from_pretrained(folder, config=own, dtype=dtype)
    with torch.inference_mode():
        rows = [tokenizer(text, truncation=True, max_length=max_length, return_tensors="pt") for text in texts]
        return torch.cat([model.eval()(**row).logits.float() for row in rows])


@pytest.mark.parametrize("max_length", [512, 20])
def test_batched_logits_are_those_of_each_text_alone(two_classes: Path, max_length: int) -> None:
    logits = load_bert(two_classes, 2, max_length).logits(TEXTS)
    assert logits.shape == (len(TEXTS), 2)
    torch.testing.assert_close(logits, one_by_one(two_classes, TEXTS, max_length), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("named", [None, "float32", "bfloat16"])
def test_the_number_format_is_that_which_is_named(
    two_classes: Path, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    monkeypatch.setattr("src.llm.loading.find_device", lambda _=None: "cpu")
    bert = load_bert(two_classes, 2, 512, named)
    dtype = torch.bfloat16 if named == "bfloat16" else torch.float32
    assert bert.info.details["dtype"] == str(dtype).removeprefix("torch.")
    torch.testing.assert_close(bert.logits(TEXTS), one_by_one(two_classes, TEXTS, 512, dtype), atol=0.1, rtol=0.1)


def test_no_text_gives_no_row(four_classes: Path) -> None:
    assert load_bert(four_classes, 4, 400).logits([]).shape == (0, 4)


def test_a_checkpoint_converts_to_a_folder_that_answers_alike(two_classes: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "x.ckpt", published_content(two_classes))
    folder = tmp_path / "new" / "converted"
    assert convert_checkpoint.main(["-i", str(path), "-o", str(folder), "--base", str(two_classes)]) == 0
    torch.testing.assert_close(load_bert(folder, 2, 512).logits(TEXTS), load_bert(two_classes, 2, 512).logits(TEXTS))
    assert [file.name for file in folder.parent.iterdir()] == ["converted"]
    assert folder.joinpath("model.safetensors").stat().st_size < path.stat().st_size / 2


def test_conversion_leaves_alone_what_is_there(two_classes: Path, tmp_path: Path) -> None:
    path = write_checkpoint(tmp_path / "x.ckpt", published_content(two_classes))
    flags = ["-i", str(path), "-o", str(tmp_path / "there"), "--base", str(two_classes)]
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "letter.txt").write_text("mine")
    assert convert_checkpoint.main(flags) == 2
    assert convert_checkpoint.main([*flags, "--overwrite"]) == 2
    assert (tmp_path / "there" / "letter.txt").read_text() == "mine"
    shutil.rmtree(tmp_path / "there")
    assert convert_checkpoint.main(flags) == 0
    assert convert_checkpoint.main(flags) == 2
    assert convert_checkpoint.main([*flags, "--overwrite"]) == 0


def test_a_checkpoint_alone_has_heads_of_64_and_the_words_of_bert_base(
    two_classes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = tmp_path / "pretrained_models" / "all-MiniLM-L6-v2"
    bundled.mkdir(parents=True)
    words = AutoTokenizer.from_pretrained(two_classes).get_vocab()
    (bundled / "vocab.txt").write_text("\n".join(sorted(words, key=lambda word: words[word])), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = write_checkpoint(tmp_path / "x.ckpt", published_content(two_classes))
    logits = load_bert(path, 2, 512).logits(TEXTS)
    expected = one_by_one(two_classes, TEXTS, 512, num_attention_heads=1)
    torch.testing.assert_close(logits, expected, atol=1e-4, rtol=1e-4)


def test_a_vocabulary_of_another_size_is_refused(
    two_classes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundled = tmp_path / "pretrained_models" / "all-MiniLM-L6-v2"
    bundled.mkdir(parents=True)
    (bundled / "vocab.txt").write_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nriver", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    path = write_checkpoint(tmp_path / "x.ckpt", published_content(two_classes))
    with pytest.raises(InputError, match=r"6 entries, the checkpoint's embedding \d+ rows; name the model"):
        open_bert(path)


def test_without_vocabulary_and_hub_the_error_names_the_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bert, "BASE", "absent-model-of-a-test")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(InputError, match=r"no tokenizer for absent-model.*src\.llm\.fetch minilm"):
        bert.base_tokenizer(None, 400)


def test_the_number_of_classes_must_fit(two_classes: Path) -> None:
    with pytest.raises(InputError, match="has 2 classes, 4 are needed"):
        load_bert(two_classes, 4, 400)


def test_a_folder_without_a_trained_head_is_refused(two_classes: Path, tmp_path: Path) -> None:
    folder = tmp_path / "headless"
    shutil.copytree(two_classes, folder)
    weights = load_file(weights_file(folder))
    save_file({name: weight for name, weight in weights.items() if "classifier" not in name}, weights_file(folder))
    with pytest.raises(InputError, match=r"not a trained BERT classifier: classifier\.bias is missing"):
        load_bert(folder, 2, 512)


def test_a_checkpoint_that_is_no_bert_or_lacks_weights_is_refused(two_classes: Path, tmp_path: Path) -> None:
    content = published_content(two_classes)
    path = write_checkpoint(tmp_path / "other.ckpt", {"state_dict": {"model.linear.weight": torch.ones(2)}})
    with pytest.raises(InputError, match="not a BERT classifier"):
        open_bert(path, str(two_classes))
    del content["state_dict"]["model.bert.pooler.dense.bias"]
    path = write_checkpoint(tmp_path / "lacking.ckpt", content)
    with pytest.raises(InputError, match=r"does not fit the model \(missing: bert\.pooler\.dense\.bias\)"):
        open_bert(path, str(two_classes))


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such checkpoint"):
        weights_file(tmp_path / "absent.ckpt")
    with pytest.raises(InputError, match=r"0 files \*\.safetensors"):
        weights_file(tmp_path)


def test_the_info_of_a_loaded_model(two_classes: Path) -> None:
    info = load_bert(two_classes, 2, 512).info
    assert (info.name, info.context, info.details["dtype"]) == ("two", 512, "float32")
    assert info.sha256 is not None
    assert len(info.sha256) == 64


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.ckpt", b"PK\x05\x06" + bytes(18), ""),
        ("a.ckpt", b"", "a.ckpt: damaged, or not a checkpoint of torch 1.6 or later (those are zip files)"),
        ("folder/model.safetensors", bytes(8) + b"{}", ""),
        ("folder/model.safetensors", b"any text", "folder/model.safetensors: damaged, or not a file of safetensors"),
        ("folder/config.json", b"{}", "folder: 0 files *.safetensors in this folder, 1 is needed"),
    ],
)
def test_what_has_the_form_of_a_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, content: bytes, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("folder").mkdir()
    Path(name).write_bytes(content)
    assert lacking(name.partition("/")[0]) == message
