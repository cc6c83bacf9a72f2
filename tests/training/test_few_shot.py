"""The kinds of encoders for few-shot training, recognized by their files; an existing head keeps its predictions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch

from src.errors import InputError
from src.models.entailment import LABELS, TASK
from src.models.evidence_rows import PUBLISHED_TEXT, Input, Row, RowMaker
from src.models.trained_classifier import load_trained
from src.training.classifier import all_logits
from src.training.few_shot import UNBOUNDED, Choices, recipe_of
from src.training.few_shot_encoders import Encoder, find_encoder, passages_first
from src.training.recipe import Recipe
from tests.models.adapters import make_base, make_trained
from tests.tiny_models import make_bert, make_longformer, make_t5

RECIPE = Recipe("few", "", rank=2, alpha=4, max_length=64)
INPUTS: list[Input] = [("It rained.", (("Oster", "The town closed 3 schools."),)), ("The town closed schools.", ())]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_base(tmp_path_factory.mktemp("base") / "bert", "bert")


def begun(encoder: Encoder) -> torch.Tensor:
    """Return the encoder's logits of true and false before any training."""
    model = encoder.loaded(RECIPE).float().eval()
    return all_logits(model, encoder.rows(RowMaker(encoder.base.folder, 64), INPUTS))


def in_two(logits: torch.Tensor, true: int) -> torch.Tensor:
    """Return the probabilities of a class and of all other classes together."""
    chance = logits.softmax(-1)[:, true]
    return torch.stack([chance, 1 - chance], -1)


def test_an_encoder_gets_a_new_head(base: Path) -> None:
    encoder = find_encoder(f"hf:{base}")
    assert (encoder.kind, encoder.labels) == ("encoder", ("true", "false"))
    assert begun(encoder).shape == (2, 2)


def test_a_classifier_of_ours_begins_with_its_weights(base: Path, tmp_path: Path) -> None:
    make_trained(tmp_path / "made", base, TASK, labels=LABELS)
    encoder = find_encoder(str(tmp_path / "made"))
    assert (encoder.kind, encoder.labels[encoder.true]) == ("trained", "entailment")
    wanted = load_trained(tmp_path / "made", TASK, "float32", "cpu").logits(INPUTS)
    torch.testing.assert_close(begun(encoder).softmax(-1), in_two(wanted, 0), atol=0.02, rtol=0)  # bfloat16 or not


def test_a_classifier_of_transformers_keeps_its_head_and_reads_passages_first(tmp_path: Path) -> None:
    folder = classifier(tmp_path / "nli", ["contradiction", "Entailment", "neutral"])
    encoder = find_encoder(f"hf:{folder}")
    assert (encoder.kind, encoder.true) == ("classifier", 1)
    assert torch.allclose(begun(encoder).softmax(-1).sum(-1), torch.ones(2))
    (row, _) = encoder.rows(RowMaker(folder, 64), INPUTS)
    expected = logits_of_transformers(folder, row)
    torch.testing.assert_close(begun(encoder).softmax(-1)[:1], in_two(expected, 1), atol=0.02, rtol=0)


def classifier(folder: Path, labels: list[str]) -> Path:
    make_bert(folder, num_labels=len(labels))
    config = msgspec.json.decode((folder / "config.json").read_bytes())
    config["id2label"] = {str(place): label for place, label in enumerate(labels)}
    (folder / "config.json").write_bytes(msgspec.json.encode(config))
    return folder


def logits_of_transformers(folder: Path, row: Row) -> torch.Tensor:
    from transformers import AutoModelForSequenceClassification

    model: Any = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    types = [int(place >= row.second) for place in range(len(row.ids))]
    with torch.no_grad():
        logits: torch.Tensor = model(input_ids=torch.tensor([row.ids]), token_type_ids=torch.tensor([types])).logits
    return logits


def test_passages_first() -> None:
    assert passages_first(Row([1, 10, 11, 2, 20, 2, 30, 2], 4)) == Row([1, 20, 2, 30, 2, 10, 11, 2], 5, True)
    assert passages_first(Row([1, 10, 2], 3)) == Row([1, 10, 2], 3)


def test_an_encoder_decoder_answers_in_a_word(tmp_path: Path) -> None:
    encoder = find_encoder(f"hf:{make_t5(tmp_path / 't5')}")
    assert (encoder.kind, encoder.labels) == ("seq2seq", ("true", "false"))
    model = encoder.loaded(RECIPE).float().eval()
    logits = all_logits(model, encoder.rows(encoder.maker(64), INPUTS))
    torch.testing.assert_close(logits[:1], first_words_of_transformers(tmp_path / "t5"), atol=0.02, rtol=0.02)


def first_words_of_transformers(folder: Path) -> torch.Tensor:
    """Return the logits of `true` and `false` as the first word that the model writes."""
    from transformers import AutoModelForSeq2SeqLM, AutoTokenizer

    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    encoded = tokenizer(
        "hypothesis: It rained.", "sentence1: Oster . The town closed 3 schools.", add_special_tokens=False
    )
    with torch.no_grad():
        logits = model(
            input_ids=torch.tensor([[*encoded["input_ids"], tokenizer.eos_token_id]]),
            decoder_input_ids=torch.tensor([[model.config.decoder_start_token_id]]),
        ).logits
    return torch.stack([logits[0, 0, tokenizer.convert_tokens_to_ids(f"\u2581{word}")] for word in ("true", "false")])[
        None
    ]


def test_other_encoder_decoders_are_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"model_type": "bart", "is_encoder_decoder": true}')
    with pytest.raises(InputError, match=r"model_type: bart: of encoder-decoders only mt5, t5, umt5 are"):
        find_encoder(f"hf:{tmp_path}")


@pytest.mark.parametrize("make", [make_t5, make_longformer])
def test_all_weights_are_trained_or_adapters(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    encoder = find_encoder(f"hf:{make(tmp_path / 'made')}")
    whole = encoder.loaded(msgspec.structs.replace(RECIPE, rank=0))
    assert all(weight.requires_grad for weight in whole.parameters())
    trained = {name for name, weight in encoder.loaded(RECIPE).named_parameters() if weight.requires_grad}
    assert trained
    assert all("lora_" in name or "score" in name for name in trained)


def test_what_is_no_encoder(base: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"no config.json in it, so no model"):
        find_encoder(str(tmp_path / "empty"))
    with pytest.raises(InputError, match=r"id2label: one class must say .* there are: LABEL_0, LABEL_1"):
        find_encoder(f"hf:{classifier(tmp_path / 'two', ['LABEL_0', 'LABEL_1'])}")
    (tmp_path / "two" / "config.json").write_text('{"id2label": {"a": "true"}}')
    with pytest.raises(InputError, match=r"config.json.*id2label"):
        find_encoder(str(tmp_path / "two"))
    make_trained(tmp_path / "rank", base, "reranker", labels=("no evidence", "evidence"))
    with pytest.raises(InputError, match=r"labels: one class must say"):
        find_encoder(str(tmp_path / "rank"))
    make_trained(tmp_path / "published", base, "veracity", layout=PUBLISHED_TEXT)
    with pytest.raises(InputError, match=r"layout: reads published_text, not claim_pairs"):
        find_encoder(str(tmp_path / "published"))


def test_rows_are_as_long_as_the_encoder_has_positions(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 96}))
    recipe = recipe_of(find_encoder(f"hf:{tmp_path}"), 3, Choices())
    assert (recipe.base, recipe.seed, recipe.max_length) == (f"hf:{tmp_path}", 3, 96)
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 3, Choices(max_length=50)).max_length == 50
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 3, Choices(max_length=500)).max_length == 96


def test_a_longformer_has_4096_positions_and_a_t5_no_end(tmp_path: Path) -> None:
    longformer = {"model_type": "longformer", "max_position_embeddings": 4098, "pad_token_id": 1}
    (tmp_path / "config.json").write_text(json.dumps(longformer))
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 0, Choices()).max_length == 4096
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "t5", "n_positions": 512}))
    assert recipe_of(find_encoder(f"hf:{tmp_path}"), 0, Choices()).max_length == UNBOUNDED


def test_an_encoder_without_a_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(InputError, match=r"config.json: cannot be loaded: Unrecognized model"):
        recipe_of(find_encoder(f"hf:{tmp_path}"), 0, Choices())
