"""`--published`: the baseline in every stage, what it refuses, and a whole run on tiny checkpoints."""

import json
from pathlib import Path
from typing import Any

import pytest

from src.errors import InputError
from src.pipeline.__main__ import main
from src.pipeline.plan import Plan, plan_of
from src.records import VERDICTS
from tests.models.published_layout import published_content, write_checkpoint
from tests.pipeline.plans import questions
from tests.scripts.copied import Scripts
from tests.tiny_models import make_causal

pytestmark = pytest.mark.long

EMPTY_ZIP = b"PK\x05\x06" + bytes(18)
WORD_PIECES = 30_522  # of bert-base-uncased
ONLY = "it takes BM25, questions from 10 examples and the published checkpoints"


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def whole(empty: Path) -> Path:
    """Create all files of the published mode; the checkpoints are only valid zip files."""
    for name in ("data/dev.json", "data/train.json", "data_store/knowledge_store/dev/0.json"):
        touch(empty / name)
    for name in ("bert_dual_encoder.ckpt", "bert_veracity.ckpt"):
        touch(empty / "pretrained_models" / name).write_bytes(EMPTY_ZIP)
    return empty


def touch(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def plan(*flags: str, split: str = "dev", llm: str = "") -> Plan:
    model = llm or f"scripted:{touch(Path('answers.jsonl'))}"
    return plan_of(main.parse([split, "0", "5", "--published", "--llm", model, *flags]))


def test_every_stage_is_the_published_one(whole: Path) -> None:
    made = plan("--workers", "2")
    assert (made.notes, made.explain) == ([], None)
    assert (made.rank.retriever, made.rank.top_k, made.rank.workers) == ("bm25", 100, 2)
    assert (questions(made).ask.writer.recipe, questions(made).ask.writer.published_examples) == ("published", True)
    assert (
        str(questions(made).select.best_checkpoint),
        questions(made).select.top_n,
        questions(made).select.select,
    ) == ("published", 3, "likeness")
    assert questions(made).judge.verdict == "published"


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (["--retriever", "hybrid"], "--retriever hybrid"),
        (["--passages"], "--passages"),
        (["--encoder", "e", "--hyde"], "--encoder; --hyde"),
        (["--recipe", "trained"], "--recipe trained"),
        (["--samples", "3", "--adapter", "a"], "--adapter; --samples"),
        (["--select", "stance"], "--select stance"),
        (["--reranker", "trained"], "--reranker trained"),
        (["--reranker", "none"], "--reranker none"),
        (["--verdict", "llm"], "--verdict llm"),
        (["--verdict", "ours"], "--verdict ours"),
        (["--verdict", "stacker"], "--verdict stacker"),
    ],
)
def test_what_chooses_otherwise_is_refused(whole: Path, flags: list[str], named: str) -> None:
    touch(whole / "ours" / "training.json")
    touch(whole / "stacker" / "stacker.json")
    with pytest.raises(InputError) as refused:
        plan(*flags)
    assert str(refused.value) == f"--published does not go with {named}: {ONLY}"


@pytest.mark.parametrize(
    "flags", [["--retriever", "rank_bm25"], ["--recipe", "published"], ["--select", "likeness"], ["--verdict", "v"]]
)
def test_what_chooses_the_same_is_taken(whole: Path, flags: list[str]) -> None:
    touch(whole / "v" / "model.safetensors").write_bytes(bytes(8) + b"{}")  # a published checkpoint, converted
    assert plan(*flags).notes == []


def test_all_that_is_missing_is_named_before_any_work(empty: Path) -> None:
    with pytest.raises(InputError) as refused:
        plan(llm="gguf:none.gguf")
    assert str(refused.value).removeprefix("--published: ").split("; ") == [
        "data/dev.json is not there (bash script/download.sh dev claims)",
        "data_store/knowledge_store/dev is not there (bash script/download.sh dev knowledge_store)",
        "data/train.json is not there (bash script/download.sh train claims)",
        "pretrained_models/bert_dual_encoder.ckpt is not there (bash script/download.sh dev checkpoints)",
        "pretrained_models/bert_veracity.ckpt is not there (bash script/download.sh dev checkpoints)",
        "the model gguf:none.gguf: no such file",
    ]


def test_what_is_no_checkpoint_is_named_before_any_work(whole: Path) -> None:
    touch(whole / "any.txt")
    touch(whole / "v" / "model.safetensors")
    with pytest.raises(InputError) as refused:
        plan("--reranker", "any.txt", "--verdict", "v")
    assert str(refused.value) == (
        "--published: any.txt: damaged, or not a checkpoint of torch 1.6 or later "
        "(those are zip files); v/model.safetensors: damaged, or not a file of safetensors"
    )


def test_own_files_that_are_missing_are_named_without_a_download(whole: Path) -> None:
    touch(whole / "data_store/output_mine/0.json")
    own = ["--claim_file", "c.json", "--knowledge_store_dir", "ks", "--reference_corpus", "r.json"]
    with pytest.raises(InputError) as refused:
        plan(*own, split="mine")
    lacking = "; ".join(f"{name} is not there" for name in ("c.json", "ks", "r.json"))
    assert str(refused.value) == f"--published: {lacking}"


def checkpoint(path: Path, num_labels: int) -> Path:
    """Write a tiny checkpoint in the published layout."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=WORD_PIECES, hidden_size=64, intermediate_size=64, num_hidden_layers=1, num_attention_heads=1,
        initializer_range=0.4,
    )  # fmt: skip
    config.num_labels = num_labels
    BertForSequenceClassification(config).save_pretrained(path.parent / path.stem)
    return write_checkpoint(path, published_content(path.parent / path.stem))


@pytest.mark.usefixtures("minilm")  # its vocabulary is that of the published checkpoints
def test_two_claims_of_the_sample_from_end_to_end(project_root: Path, sample: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    flags = [
        "--claim_file", sample / "claims.json", "--knowledge_store_dir", sample / "knowledge_store",
        "--reference_corpus", sample / "reference.json", "--output_dir", out, "--no_index", "--top_k", "4",
        "--llm", f"hf:{make_causal(tmp_path / 'causal', context=4096)}", "--device", "cpu",
        "--reranker", checkpoint(tmp_path / "bert_dual_encoder.ckpt", 2),
        "--verdict", checkpoint(tmp_path / "bert_veracity.ckpt", 4),
    ]  # fmt: skip
    done = Scripts(project_root).bash("pipeline.sh", "sample", "0", "2", "--published", *map(str, flags))
    assert done.returncode == 0, done.stderr
    assert "acc:" in done.stdout
    assert "With justifications" not in done.stdout

    submission = json.loads((out / "sample_veracity_prediction_for_submission.json").read_bytes())
    assert [(claim["claim_id"], len(claim["evidence"])) for claim in submission] == [(0, 3), (1, 3)]
    assert {claim["pred_label"] for claim in submission} <= {verdict.value for verdict in VERDICTS}
    assert all(
        pair["scraped_text"] and pair["question"].endswith("?") for one in submission for pair in one["evidence"]
    )

    arguments = manifest(out, "top_k_qa")["arguments"]
    assert (arguments["num_examples"], arguments["num_beams"], arguments["no_repeat_ngram_size"]) == (10, 2, 2)
    assert (arguments["published_examples"], arguments["dtype"], arguments["samples"]) == (True, "bfloat16", 0)
    assert manifest(out, "top_k_qa")["notes"] == []  # nothing of the recipe was left out
    assert manifest(out, "top_k_sentences")["arguments"]["retriever"] == "bm25"
    ranked = manifest(out, "top_3_rerank_qa")
    assert (ranked["model"]["name"], ranked["arguments"]["duplicates"]) == ("bert_dual_encoder.ckpt", "keep")
    assert manifest(out, "veracity_prediction")["model"]["name"] == "bert_veracity.ckpt"
    assert not (out / "sample_explanations.json").exists()


def manifest(out: Path, name: str) -> Any:
    return json.loads((out / f"sample_{name}.manifest.json").read_bytes())
