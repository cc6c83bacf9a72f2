"""The step that trains a question writer: its examples, its output folder, and refused settings."""

import math
from pathlib import Path
from shutil import copytree

import msgspec
import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForCausalLM, AutoTokenizer

from src.llm import Options
from src.llm.loading import load_pretrained
from src.llm.weights import hash_of
from src.models.trained import read_trained
from src.records import Claim
from src.reranking.questions.prompt import CLAIM_EVIDENCE, claim_evidence_prompt
from src.training.questions import (
    Layout,
    QuestionExample,
    gold_examples,
    noisy_examples,
    rows_of,
)
from src.training.results import read_results
from src.training.text_loss import log_probability, text_loss
from src.training.train_question_generator import main
from tests.models.adapters import make_base
from tests.tiny_models import make_causal
from tests.training.small_claims import claims, write_claims

SMALL = ["--steps", "6", "--every", "3", "--batch", "4", "--rank", "2", "--alpha", "4", "--scored", "5", "--asked", "4"]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_causal(tmp_path_factory.mktemp("causal") / "tiny")


def _train(folder: Path, base: Path, *more: str) -> int:
    output = ["-o", str(folder / "made"), "--results", str(folder / "results.jsonl")]
    return main(
        ["--train", str(write_claims(folder)), "--leave_out", "none", "--base", f"hf:{base}", *output, *SMALL, *more]
    )


def test_what_it_learns_from() -> None:
    examples = gold_examples(claims(1))
    assert [(example.sentence, example.question) for example in examples] == [
        ("In 1990 the town closed 3 of its schools.", "How many schools did Oster close in 1990"),
        ("Oster sold trams.", "How many schools did Oster close in 1990"),
        ("Yes, because the council of oster raised the tax on 2 bridges.", "Was a tax raised in Oster?"),
    ]


def test_a_retrieved_sentence_gets_the_question_that_it_fits_best() -> None:
    sentences = ["The tax was raised by the council.", "Schools close all over the town.", "More."]
    examples = noisy_examples(claims(2), {1: [("", sentence) for sentence in sentences]}, most=2)
    town = claims(2)[1].claim
    assert examples == [
        QuestionExample(town, sentences[0], "Was a tax raised in Vell?"),
        QuestionExample(town, sentences[1], "How many schools did Vell close in 1991"),
    ]
    assert noisy_examples([Claim("No questions.", claim_id=0)], {0: [("", "A sentence.")]}, most=2) == []


def test_rows_end_in_the_question(base: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(base)
    example = gold_examples(claims(1))[0]
    (row,) = rows_of([example], Layout(shows_claim=True), tokenizer, 400)
    whole = tokenizer.decode(row.tokens)
    assert whole == (
        "Claim: The town of Oster closed 3 schools in 1990.\nEvidence: In 1990 the town closed 3 of its schools.\n"
        "Question: How many schools did Oster close in 1990?</s>"
    )
    assert tokenizer.decode(row.tokens[-row.learned :]) == " How many schools did Oster close in 1990?</s>"
    (short,) = rows_of([example], Layout(shows_claim=True), tokenizer, len(row.tokens) - 5)
    assert len(short.tokens) <= len(row.tokens) - 5
    assert short.tokens[-short.learned :] == row.tokens[-row.learned :]
    (blind,) = rows_of([example], Layout(shows_claim=False), tokenizer, 400)
    assert str(tokenizer.decode(blind.tokens)).startswith(f"Evidence: {example.sentence}\nQuestion answered: How many")


def test_the_loss_is_that_of_the_learned_tokens_alone(base: Path) -> None:
    model = AutoModelForCausalLM.from_pretrained(base).eval()
    tokenizer = AutoTokenizer.from_pretrained(base)
    rows = rows_of(gold_examples(claims(2)), Layout(shows_claim=True), tokenizer, 400)
    total = 0.0
    for row in rows:
        ids = torch.tensor([row.tokens])
        labels = torch.tensor([[-100] * (len(row.tokens) - row.learned) + row.tokens[-row.learned :]])
        with torch.inference_mode():
            total += float(model(input_ids=ids, labels=labels).loss) * row.learned
    with torch.inference_mode():
        assert float(text_loss(model, rows, tokenizer.pad_token_id)) == pytest.approx(total, rel=1e-4)
        mean = log_probability(model, rows, tokenizer.pad_token_id)
    assert mean == pytest.approx(-total / sum(row.learned for row in rows), rel=1e-4)


def test_it_leaves_an_adapter_that_loads(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _train(tmp_path, base) == 0
    made = tmp_path / "made"
    names = {path.name for path in made.iterdir()}
    assert names == {"README.md", "adapter_config.json", "adapter_model.safetensors", "loss.svg", "training.json"}
    assert len({path.stat().st_mode for path in made.iterdir()}) == 1
    trained = read_trained(made, "question_generator")
    assert (trained.base, trained.base_sha256, trained.layout) == (f"hf:{base}", hash_of(base), CLAIM_EVIDENCE)
    assert all(weight.dtype == torch.bfloat16 for weight in load_file(made / "adapter_model.safetensors").values())
    assert str(tmp_path) not in (made / "training.json").read_text(encoding="utf-8")
    assert set(trained.scores) == {"log-probability", "METEOR"}
    assert math.isfinite(trained.scores["log-probability"])
    (result,) = read_results(tmp_path / "results.jsonl")
    assert (result.scores, result.steps, result.seed, result.share) == (trained.scores, 6, 0, 1.0)
    output = capsys.readouterr().out
    assert "6 steps of 4" in output
    assert "weights trained" in output
    loaded = load_pretrained(str(base), Options(adapter=made, device="cpu"), hash_of(base))
    prompt = loaded.tokenizer(claim_evidence_prompt("A claim.", "A sentence."), return_tensors="pt")
    assert loaded.model.generate(**prompt, max_new_tokens=3).shape[1] > prompt["input_ids"].shape[1]


def test_the_same_command_again_does_nothing(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _train(tmp_path, base, "--quiet") == 0
    before = (tmp_path / "made/training.json").read_bytes()
    assert _train(tmp_path, base) == 0
    assert "is done" in capsys.readouterr().out
    assert _train(tmp_path, base, "--seed", "1") == 2
    assert "other arguments or data; --overwrite" in capsys.readouterr().err
    assert (tmp_path / "made/training.json").read_bytes() == before
    assert _train(tmp_path, base, "--seed", "1", "--overwrite", "--no_claim", "--quiet") == 0
    assert read_trained(tmp_path / "made").layout == "evidence"
    assert [result.seed for result in read_results(tmp_path / "results.jsonl")] == [0, 1]


def test_a_run_in_the_place_of_another_goes_on_after_a_kill(
    base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    assert _train(tmp_path, base, "--quiet") == 0
    with monkeypatch.context() as patched:
        patched.setattr("src.training.run.append_result", killed)
        assert _train(tmp_path, base, "--seed", "1", "--overwrite") == 130
    assert read_trained(tmp_path / "made").seed == 0
    assert "step 3 of 6" in capsys.readouterr().out
    assert _train(tmp_path, base, "--seed", "1") == 0
    assert "step 3 of 6" not in capsys.readouterr().out
    assert read_trained(tmp_path / "made").seed == 1


def test_a_record_that_is_damaged(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _train(tmp_path, base, "--quiet") == 0
    record = msgspec.json.decode((tmp_path / "made/training.json").read_bytes())
    (tmp_path / "made/training.json").write_bytes(msgspec.json.encode(record | {"recipe": {}}))
    assert _train(tmp_path, base) == 2
    assert "made/training.json, field recipe: Object missing required field `name`" in capsys.readouterr().err


def test_a_base_that_never_ends_a_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _train(tmp_path, make_base(tmp_path / "bert", "bert")) == 2
    assert "has no token that ends a text" in capsys.readouterr().err


def test_all_weights_can_be_trained(base: Path, tmp_path: Path) -> None:
    assert _train(tmp_path, base, "--rank", "0", "--learning_rate", "0.001", "--quiet") == 0
    before, after = (load_file(folder / "model.safetensors") for folder in (base, tmp_path / "made"))
    assert not (tmp_path / "made/adapter_config.json").exists()
    assert torch.equal(after["model.embed_tokens.weight"], before["model.embed_tokens.weight"].bfloat16())
    assert not torch.equal(after["lm_head.weight"], before["lm_head.weight"].bfloat16())


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--base", "nothing"], "no model nothing: known are"),
        (["--train", "away/train.json"], "not found; bring it with"),
        (["--leave_out", "away/dev.json"], "not found; bring it with"),
        (["--retrieved", "away.csv"], "away.csv"),
        (["--share", "0"], "0 claims to train on"),
        (["--noisy", "5"], "--noisy goes with --retrieved"),
    ],
)
def test_what_is_refused(
    flags: list[str], message: str, base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base, *flags) == 2
    assert message in capsys.readouterr().err


def test_a_folder_that_is_not_ours_is_never_overwritten(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "made").mkdir()
    (tmp_path / "made/thesis.txt").write_text("years of work", encoding="utf-8")
    assert _train(tmp_path, base, "--overwrite") == 2
    assert "was not made by a training step" in capsys.readouterr().err
    assert (tmp_path / "made/thesis.txt").exists()


def test_dry_run(base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _train(tmp_path, base, "--dry_run") == 0
    assert "million tokens in all" in capsys.readouterr().out
    assert not list(tmp_path.glob("*made*"))


def test_a_folder_that_holds_other_runs_is_never_overwritten(
    base: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _train(tmp_path, base, "--quiet") == 0
    copytree(tmp_path / "made", tmp_path / "elsewhere")
    (tmp_path / "elsewhere").rename(tmp_path / "made/seed_1")
    before = read_trained(tmp_path / "made")
    assert _train(tmp_path, base) == 0
    assert "made is done" in capsys.readouterr().out
    assert _train(tmp_path, base, "--overwrite", "--seed", "1") == 2
    assert "made/seed_1: another run is in this folder" in capsys.readouterr().err
    assert read_trained(tmp_path / "made/seed_1") == read_trained(tmp_path / "made") == before
