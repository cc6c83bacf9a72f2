"""The rerankers: published text and score, cosine, independence of other pairs, choice by name or path."""

from pathlib import Path

import pytest
import torch

from src.errors import InputError, MissingExtra
from src.models.bert import load_bert
from src.models.encoder import load_encoder
from src.models.reranker import (
    NONE,
    OURS,
    PUBLISHED,
    RERANKERS,
    CosineReranker,
    CrossEncoder,
    Reranker,
    chosen_reranker,
    joined,
    load_reranker,
)
from src.models.trained_classifier import load_trained
from src.records import CandidateQA, CandidateQuestions
from tests.models.adapters import make_base, make_trained
from tests.models.tiny_encoder import make_sentence_encoder
from tests.tiny_models import sentences

LINES = sentences()


def claim(claim_id: int, pairs: int) -> CandidateQuestions:
    candidates = [CandidateQA(f" {LINES[n]}? ", f"{LINES[-n]} " * (n % 3 + 1), "u") for n in range(1, pairs + 1)]
    return CandidateQuestions(claim_id, f" {LINES[100 + claim_id]} ", candidates)


def test_the_published_text_is_one_segment() -> None:
    pair = CandidateQA(" When? ", " In 1998.\n", "u")
    assert joined(" It was sent. ", pair) == "It was sent. </s> When? </s> In 1998."


def test_the_published_score_is_the_probability_of_class_1(two_classes: Path) -> None:
    bert = load_bert(two_classes, 2, 512)
    some = claim(0, 4)
    logits = bert.logits([joined(some.claim, pair) for pair in some.bm25_qau])
    expected = (logits.exp() / logits.exp().sum(1, keepdim=True))[:, 1].tolist()
    assert CrossEncoder(bert).scores([some]) == [pytest.approx(expected)]


def ours(folder: Path, labels: tuple[str, ...]) -> Reranker:
    base = make_base(folder / f"base{len(labels)}", "bert")
    make_trained(folder / f"ours{len(labels)}", base, "reranker", labels=labels)
    return load_reranker(folder / f"ours{len(labels)}")


def test_our_score_is_the_log_odds(tmp_path: Path) -> None:
    some = claim(0, 4)
    inputs = [(some.claim, [(pair.question, pair.answer)]) for pair in some.bm25_qau]
    (scores,) = ours(tmp_path, ("no", "yes")).scores([some])
    logits = load_trained(tmp_path / "ours2", "reranker").logits(inputs)
    assert scores == pytest.approx((logits[:, 1] - logits[:, 0]).tolist())


def test_ours_has_two_classes(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="field labels: not two classes"):
        ours(tmp_path, ("yes",))


def test_scores_do_not_depend_on_the_batch(two_classes: Path, tmp_path: Path) -> None:
    claims = [claim(0, 5), claim(1, 0), claim(2, 70), claim(3, 1)]
    for model in (
        load_reranker(two_classes),
        ours(tmp_path, ("no", "yes")),
        CosineReranker(load_encoder(str(make_sentence_encoder(tmp_path, two_classes)))),
    ):
        together = model.scores(claims)
        assert [len(scores) for scores in together] == [5, 0, 70, 1]
        for some, scores in zip(claims, together, strict=True):
            assert model.scores([some])[0] == pytest.approx(scores, rel=1e-5, abs=1e-5)


def test_equal_pairs_get_equal_scores(two_classes: Path, tmp_path: Path) -> None:
    some = claim(0, 40)
    some.bm25_qau.append(some.bm25_qau[0])
    for model in (
        load_reranker(two_classes),
        ours(tmp_path, ("no", "yes")),
        CosineReranker(load_encoder(str(make_sentence_encoder(tmp_path, two_classes)))),
    ):
        (scores,) = model.scores([some])
        assert scores[0] == scores[-1]


def test_the_cosine_is_that_of_sentence_transformers(two_classes: Path, tmp_path: Path) -> None:
    from sentence_transformers import SentenceTransformer, util

    folder = make_sentence_encoder(tmp_path, two_classes)
    some = claim(0, 3)
    model = SentenceTransformer(str(folder), device="cpu")
    texts = [f"{pair.question.strip()} {pair.answer.strip()}" for pair in some.bm25_qau]
    encoded = model.encode([some.claim.strip(), *texts], convert_to_tensor=True, show_progress_bar=False)
    expected = util.cos_sim(encoded[:1], encoded[1:])[0]
    torch.testing.assert_close(
        torch.tensor(CosineReranker(load_encoder(str(folder))).scores([some])[0]), expected, atol=1e-5, rtol=1e-5
    )


def test_no_claims_no_scores(two_classes: Path, tmp_path: Path) -> None:
    for model in (
        load_reranker(two_classes),
        ours(tmp_path, ("no", "yes")),
        CosineReranker(load_encoder(str(make_sentence_encoder(tmp_path, two_classes)))),
    ):
        assert model.scores([]) == []
        assert model.scores([claim(0, 0)]) == [[]]


def test_the_error_of_a_missing_model_has_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingExtra, match=r"python -m src\.llm\.fetch minilm"):
        load_reranker(None)


@pytest.fixture(autouse=True)
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_name_of_the_table_means_its_files(world: Path) -> None:
    for name, path in RERANKERS.items():
        if path is not None:
            with pytest.raises(InputError, match=f"^reranker {name}: {path} is not there"):
                chosen_reranker(name)
            path.mkdir(parents=True)
        assert chosen_reranker(name) == (path, [])


def test_the_published_one_is_named_with_what_brings_it() -> None:
    with pytest.raises(InputError) as caught:
        chosen_reranker("published")
    message = f"reranker published: {PUBLISHED} is not there; bring it with: bash script/download.sh dev checkpoints"
    assert str(caught.value) == message


def test_a_path_is_itself_and_must_be_there(world: Path) -> None:
    (world / "mine").mkdir()
    for path in ("mine", Path("mine")):
        assert chosen_reranker(path) == (Path("mine"), [])
    with pytest.raises(InputError, match=r"^reranker nope: no such checkpoint or folder, and none of the names"):
        chosen_reranker("nope")


def test_without_a_name_it_is_the_first_that_is_there(world: Path) -> None:
    assert chosen_reranker(None)[0] is None
    OURS.mkdir(parents=True)
    (OURS / "training.json").touch()
    assert chosen_reranker(None) == (OURS, [])
    PUBLISHED.touch()
    assert chosen_reranker(None)[0] == PUBLISHED
    assert chosen_reranker(NONE) == (None, [])
